"""Writes the toy releases beside this file: the same small graph and queries in
the form of BetaE, of its older files, and of Query2Box. Answers come from the naive
evaluator below, which shares nothing with the Go code. Run: python3 make_releases.py
"""
import os
import pickle
import random

HERE = os.path.dirname(os.path.abspath(__file__))
ENTITIES, BASES, PER_TYPE = 15, 4, 3
random.seed(5)

E1, E2, E3 = ('e', ('r',)), ('e', ('r', 'r')), ('e', ('r', 'r', 'r'))
N1, N2 = ('e', ('r', 'n')), ('e', ('r', 'r', 'n'))
STRUCTURES = {
    '1p': E1, '2p': E2, '3p': E3, '2i': (E1, E1), '3i': (E1, E1, E1), 'ip': ((E1, E1), ('r',)), 'pi': (E2, E1),
    '2u-DNF': (E1, E1, ('u',)), 'up-DNF': ((E1, E1, ('u',)), ('r',)),
    '2in': (E1, N1), '3in': (E1, E1, N1), 'inp': ((E1, N1), ('r',)), 'pin': (E2, N1), 'pni': (N2, E1),
    '2u-DM': ((N1, N1), ('n',)), 'up-DM': ((N1, N1), ('n', 'r')),
}
TRAIN_TYPES = ['1p', '2p', '3p', '2i', '3i', '2in', '3in', 'inp', 'pin', 'pni']
QUERY2BOX = {  # file: (tag, BetaE's name)
    '1c': ('1-chain', '1p'), '2c': ('2-chain', '2p'), '3c': ('3-chain', '3p'), '2i': ('2-inter', '2i'), '3i': ('3-inter', '3i'),
    'ic': ('inter-chain', 'ip'), 'ci': ('chain-inter', 'pi'), '2u': ('2-union', '2u-DNF'), 'uc': ('union-chain', 'up-DNF'),
}
QUERY2BOX_TRAIN = ['1c', '2c', '3c', '2i', '3i']


def draw(structure):
    """A random query of a structure."""
    if isinstance(structure, tuple):
        return tuple(draw(part) for part in structure)
    return {'e': random.randrange(ENTITIES), 'r': random.randrange(2 * BASES), 'n': -2, 'u': -1}[structure]


def answers(facts, structure, q):
    """The entities that a query describes on a set of facts."""
    last = structure[-1]
    if last == ('u',):
        return set().union(*(answers(facts, s, part) for s, part in zip(structure[:-1], q)))
    if all(isinstance(letter, str) for letter in last):
        found = {q[0]} if structure[0] == 'e' else answers(facts, structure[0], q[0])
        for step in q[1]:
            found = set(range(ENTITIES)) - found if step == -2 else {t for h, r, t in facts if r == step and h in found}
        return found
    return set.intersection(*(answers(facts, s, part) for s, part in zip(structure, q)))


def draw_facts():
    """Three disjoint lists of facts, each in both directions: relations 2i and 2i+1 are inverse."""
    every = [(h, 2 * b, t) for h in range(ENTITIES) for b in range(BASES) for t in range(ENTITIES) if h != t]
    random.shuffle(every)
    both = lambda part: sorted(part + [(t, r + 1, h) for h, r, t in part])
    return both(every[:60]), both(every[60:80]), both(every[80:100])


def draw_queries(structure, easy_facts, all_facts):
    """Queries that have hard answers or, where nothing is held out, any at all."""
    found = {}
    while len(found) < PER_TYPE:
        q = draw(structure)
        easy, everything = answers(easy_facts, structure, q), answers(all_facts, structure, q)
        hard = everything - easy
        if hard or (easy_facts is all_facts and easy):
            found[q] = (easy, hard)
    return found


def write(folder, name, value, protocol=4):
    os.makedirs(os.path.join(HERE, folder), exist_ok=True)
    with open(os.path.join(HERE, folder, name), 'wb') as f:
        pickle.dump(value, f, protocol)


def write_betae(folder, facts, sets, keys, infix='', protocol=4):
    for name, part in zip(['train', 'valid', 'test'], facts):
        os.makedirs(os.path.join(HERE, folder), exist_ok=True)
        with open(os.path.join(HERE, folder, name + '.txt'), 'w') as f:
            f.writelines('%d\t%d\t%d\n' % fact for fact in part)
    write(folder, 'id2ent.pkl', {i: 'entity%02d' % i for i in range(ENTITIES)}, protocol)
    write(folder, 'id2rel.pkl', {i: '+-'[i % 2] + 'relation%d' % (i // 2) for i in range(2 * BASES)}, protocol)
    for split, by_type in sets.items():
        write(folder, split + '-queries%s.pkl' % infix, {keys[name]: set(queries) for name, queries in by_type.items()}, protocol)
        all_queries = {q: parts for queries in by_type.values() for q, parts in queries.items()}
        easy = {q: parts[0] for q, parts in all_queries.items()}
        hard = {q: parts[1] for q, parts in all_queries.items()}
        if split == 'train':
            write(folder, 'train-answers%s.pkl' % infix, easy, protocol)
        else:
            write(folder, split + '-easy-answers%s.pkl' % infix, easy, protocol)
            write(folder, split + '-hard-answers%s.pkl' % infix, hard, protocol)


def query2box_key(name, q):
    """How a query of BetaE is the key of its answers in Query2Box."""
    if name in ('1p', '2p', '3p'):
        return (q,)
    if name in ('ip', 'up-DNF'):
        return tuple(part for part in q[0] if part != (-1,)) + q[1]
    return tuple(part for part in q if part != (-1,))


def write_query2box(folder, sets):
    write(folder, 'ind2ent.pkl', {i: 'entity%02d' % i for i in range(ENTITIES)})
    write(folder, 'ind2rel.pkl', {i: 'relation%d' % (i // 2) + '_reverse' * (i % 2) for i in range(2 * BASES)})
    for split, by_type in sets.items():
        for kind in QUERY2BOX_TRAIN if split == 'train' else QUERY2BOX:
            tag, name = QUERY2BOX[kind]
            keys = {query2box_key(name, q): parts for q, parts in by_type[name].items()}
            chain = name in ('1p', '2p', '3p')
            write(folder, '%s_triples_%s.pkl' % (split, kind), [(key[0] + (0,), tag) if chain else key + (0, tag) for key in keys])
            if kind != 'ic':  # absent in the public release too
                write(folder, '%s_ans_%s.pkl' % (split, kind), {key: easy | hard for key, (easy, hard) in keys.items()})
            if split != 'train':
                write(folder, '%s_ans_%s_hard.pkl' % (split, kind), {key: hard for key, (_, hard) in keys.items()})


def main():
    train, valid, test = facts = draw_facts()
    graphs = {'train': (train, train), 'valid': (train, train + valid), 'test': (train + valid, train + valid + test)}
    sets = {}
    for split, (easy, everything) in graphs.items():
        names = TRAIN_TYPES if split == 'train' else STRUCTURES
        if split == 'train':
            everything = easy
        sets[split] = {name: draw_queries(STRUCTURES[name], easy, everything) for name in names}
    write_betae('toy-betae', facts, sets, STRUCTURES)
    old_names = {name: name for name in STRUCTURES}
    write_betae('old-betae', facts, sets, old_names, infix='.partial', protocol=2)
    write_query2box('toy-q2b', sets)


main()
