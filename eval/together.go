package eval

import (
	"bytes"
	"context"
	"encoding/gob"

	"github.com/lacuna-kg/lacuna/exec"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/gnn"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/query"
	"github.com/lacuna-kg/lacuna/ranks"
)

// together is a method on all ranks of a team: rank 0 has the questions and tells them, each rank
// answers its share, and rank 0 gets the outcomes. The others Assist.
type together struct {
	Method
	team *ranks.Team
}

// Bytes implements Method: a question takes memory on one rank only.
func (t together) Bytes(e query.Expr) int64 { return t.Method.Bytes(e) / int64(t.team.Size()) }

// Answer implements Method.
func (t together) Answer(ctx context.Context, batch []Question) ([]Outcome, error) {
	if _, err := t.team.Broadcast(ctx, packQuestions(batch)); err != nil {
		return nil, err
	}
	return answerShare(ctx, t.team, t.Method, batch)
}

// end tells the others that there are no more questions.
func (t together) end(ctx context.Context) error {
	_, err := t.team.Broadcast(ctx, nil)
	return err
}

// Assist answers this rank's share of the questions that rank 0 has, until there are no more.
func Assist(ctx context.Context, team *ranks.Team, m Method) error {
	for {
		data, err := team.Broadcast(ctx, nil)
		if err != nil || len(data) == 0 {
			return err
		}
		batch, err := unpackQuestions(data)
		if err != nil {
			return err
		}
		if _, err := answerShare(ctx, team, m, batch); err != nil {
			return err
		}
	}
}

// answerShare answers the questions of this rank and gives rank 0 the outcomes of all.
func answerShare(ctx context.Context, team *ranks.Team, m Method, batch []Question) (all []Outcome, err error) {
	from, to := ranks.Share(len(batch), team.Rank(), team.Size())
	var mine []Outcome
	if from < to {
		err = team.TakeTime(ctx, func(ctx context.Context) (err error) {
			mine, err = m.Answer(ctx, batch[from:to])
			return err
		})
	}
	if err != nil {
		return nil, err
	}
	parts, err := team.Gather(ctx, pack(mine))
	if err != nil {
		return nil, err
	}
	for _, data := range parts {
		var part []Outcome
		if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&part); err != nil {
			return nil, err
		}
		all = append(all, part...)
	}
	return all, nil
}

// told is a question on its way between ranks.
type told struct {
	Template         string
	IDs              []uint32
	Targets, Answers []kg.Entity
}

func packQuestions(batch []Question) []byte {
	list := make([]told, len(batch))
	for i, q := range batch {
		template, ids := query.Split(q.Expr)
		list[i] = told{template.Code(), ids, q.Targets, q.Answers}
	}
	return pack(list)
}

func unpackQuestions(data []byte) ([]Question, error) {
	var list []told
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&list); err != nil {
		return nil, err
	}
	batch := make([]Question, len(list))
	for i, q := range list {
		template, err := query.ParseTemplate(q.Template)
		if err != nil {
			return nil, err
		}
		batch[i] = Question{Expr: template.Fill(q.IDs), Targets: q.Targets, Answers: q.Answers, shape: template.String()}
	}
	return batch, nil
}

func pack(v any) []byte {
	var buffer bytes.Buffer
	if err := gob.NewEncoder(&buffer).Encode(v); err != nil {
		panic(err) // plain numbers and strings
	}
	return buffer.Bytes()
}

// shared makes an evaluation one of the whole team, of which this rank leads; done is to be called at its end.
func (o Options) shared() (Options, func(context.Context) error) {
	if o.Team.Size() == 1 {
		return o, func(context.Context) error { return nil }
	}
	t := together{o.Method, o.Team}
	o.Method = t
	o.Batch *= o.Team.Size()
	return o, t.end
}

// LearnedOn is a model in training on its device.
func LearnedOn(g *gnn.Graph, logic fuzzy.Logic) Learned {
	logic.Negation = g.Model().Adjustments.Negation
	return Learned{Executor: exec.OnDevice{Projector: g}, Logic: logic}
}
