package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/lacuna-kg/lacuna"
	"github.com/lacuna-kg/lacuna/browse"
	"github.com/lacuna-kg/lacuna/explain"
	"github.com/lacuna-kg/lacuna/fuzzy"
	"github.com/lacuna-kg/lacuna/internal/command"
	"github.com/lacuna-kg/lacuna/internal/count"
	"github.com/lacuna-kg/lacuna/kg"
	"github.com/lacuna-kg/lacuna/sparql/syntax"
	"github.com/lacuna-kg/lacuna/turing"
)

// askFlags are shared by ask and explain.
type askFlags struct {
	graph     command.GraphFlags
	device    command.DeviceFlags
	model     string
	keepKnown bool
	logic     fuzzy.Logic
	threshold float64
	top       int
	plain     bool
	literals  bool
	links     command.LinkFlags
	predicted bool // of ask alone, as the next
	marginal  bool
	why       bool
	coverage  float64
}

func (f *askFlags) register(cmd *cobra.Command) {
	f.graph.Register(cmd)
	f.graph.RegisterReason(cmd)
	f.device.Register(cmd)
	f.device.RegisterCut(cmd)
	flags := cmd.Flags()
	command.RegisterModel(cmd, &f.model)
	flags.StringVar(&f.graph.With, "with", "", "`file` of more triples, added to the graph for this question")
	flags.BoolVar(&f.keepKnown, "keep-known", true, "known facts always count as true")
	flags.Float64Var(&f.threshold, "threshold", fuzzy.Threshold, "least probability of an answer")
	command.RegisterLogic(cmd, &f.logic)
	flags.IntVar(&f.top, "per-step", lacuna.DefaultTop, "entities to name at each step")
	command.Moved(cmd, "top", "--per-step N for the entities named at each step, -n N for the number of answers")
	flags.BoolVar(&f.plain, "plain", false, "run the question as written: do not rewrite it or share equal parts")
	flags.BoolVar(&f.literals, "literals", false, "predict numbers, dates and truth values, too (the model can only guess these)")
	f.links.Register(cmd, lacuna.Links)
}

// options are how a question is answered, by the flags.
func (f *askFlags) options(cmd *cobra.Command) ([]lacuna.AskOption, error) {
	if !(f.threshold >= 0 && f.threshold <= 1) { // nor is NaN
		return nil, kg.Errorf(kg.Invalid, "", "--threshold %v: expected a probability, from 0 to 1", f.threshold)
	}
	by, err := f.links.One()
	options := []lacuna.AskOption{
		lacuna.Logic(f.logic), lacuna.Top(cmp.Or(f.top, lacuna.DefaultTop)),
		lacuna.Plain(f.plain), lacuna.KeepKnown(f.keepKnown), lacuna.Literals(f.literals),
	}
	if cmd.Flags().Changed("threshold") { // SPARQL has another where it is left open
		options = append(options, lacuna.Threshold(f.threshold))
	}
	if f.keepKnown || cmd.Flags().Changed("by") { // else sets, which alone can doubt what is known
		options = append(options, by)
	}
	return options, err
}

func (a *app) askCommand() *cobra.Command {
	var flags askFlags
	var file string
	var limit int
	cmd := &cobra.Command{
		Use:   "ask [QUESTION ...]",
		Short: "Answer a question and show the entities at each step",
		Long: `Answer a question on a graph and show the entities found at each step. Without a
question it runs a demonstration on the built-in graph.

  ?u : exists a: Win(a, Turing Award) & Field(a, Deep Learning) & University(a, u)
  ?x, ?y : Directed(x, y) & BornIn(x, Rome)     several answer variables
  Directed(Fellini, Roma)                       none: yes or no

Operators are & | ! -> = exists forall (or ∧ ∨ ¬ ∃ ∀) and R^-1 for the inverse of R. Quote
names with special characters: "R&D". SPARQL and the paper's operators are understood, too.`,
		Example: `  lacuna ask
  lacuna ask -g films.tsv '?f : exists p: Directed(p, f) & BornIn(p, Rome)'
  lacuna ask -g films.tsv -m exact '?f : Directed(Fellini, f)'
  lacuna ask -g films.tsv --predicted -n 100 '?d, ?f : Directed(d, f)'
  zcat films.nt.gz | lacuna ask -g - --read format=nt '?p : Directed(p, Casablanca)'`,
		RunE: func(cmd *cobra.Command, args []string) error { return a.ask(cmd, &flags, limit, file, args) },
	}
	flags.register(cmd)
	cmd.Flags().BoolVar(&flags.predicted, "predicted", false, "list only answers that are missing from the graph")
	cmd.Flags().Float64Var(&flags.coverage, "coverage", 0, "list as many predictions as it takes to have the right one with this `frequency`, such as 0.9")
	cmd.Flags().BoolVar(&flags.why, "why", false, "cycles and several answer variables: show the links behind each answer")
	cmd.Flags().BoolVar(&flags.marginal, "marginal", false, "with several answer variables: also list each one by itself")
	cmd.Flags().StringVarP(&file, "file", "f", "", "`file` of questions, one per line (- for standard input)")
	cmd.Flags().IntVarP(&limit, "limit", "n", 0, "answers to list, -1 for all (default: "+strconv.Itoa(lacuna.DefaultLimit)+", all with --json)")
	command.First(cmd, "graph", "model", "limit", "predicted", "threshold", "why", "file", "with", "by", "links", "read", "device")
	return cmd
}

func (a *app) ask(cmd *cobra.Command, flags *askFlags, limit int, file string, questions []string) (err error) {
	if file != "" {
		if questions, err = a.readQuestions(file); err != nil {
			return err
		}
	}
	if len(questions) == 1 && syntax.Recognise(questions[0]) {
		return a.askSPARQL(cmd, flags, questions[0])
	}
	shown := 0
	return a.answer(cmd, flags, limit, questions, func(r *lacuna.Result, from *origin, of int) error {
		if shown++; a.JSON {
			return a.printResult(r, from, of)
		}
		if shown > 1 {
			a.Screen.Printf("\n")
		}
		a.showAnswers(r)
		if len(questions) == 0 && slices.ContainsFunc(r.Answers, isDiscovery) {
			a.Screen.Printf("\n%s\n", demonstrated)
		}
		return nil
	})
}

// isDiscovery tells what the demonstration is to show.
func isDiscovery(a lacuna.Answer) bool { return a.Entity == turing.HiddenAnswer && !a.Known }

// demonstrated says what the demonstration hides.
const demonstrated = turing.HiddenAnswer + ` rests on ` + turing.Hidden + `, one of 90 true facts
that were left out of the graph on purpose. lacuna explain says why it is predicted,
lacuna calibrate --check test how often such predictions are right.`

// askedTogether is how many questions of a file run as one batch: enough to share what they need, few enough that the first
// answers come soon.
const askedTogether = 16

// answer runs questions, or the default one, on the graph and the model that the flags name, and hands on each result as soon as it is there, with
// what it came from, where that is wanted, and how many there will be.
func (a *app) answer(cmd *cobra.Command, flags *askFlags, limit int, questions []string, use func(r *lacuna.Result, from *origin, of int) error) error {
	options, err := flags.options(cmd)
	if err != nil {
		return err
	}
	options = append(options, flags.tuples(cmd)...)
	if cmd.Flags().Changed("coverage") {
		options = append(options, lacuna.Coverage(flags.coverage))
	}
	switch {
	case limit == -1 || limit == 0 && a.JSON:
		options = append(options, lacuna.Limit(lacuna.All))
	case limit < 0:
		return kg.Errorf(kg.Invalid, "", "-n %d: expected a number of answers, or -1 for all", limit)
	case limit > 0:
		options = append(options, lacuna.Limit(limit))
	}
	engine, err := a.openEngine(cmd, flags)
	if err != nil {
		return err
	}
	defer engine.Close()
	if questions, err = defaultQuestion(questions, flags.graph.Source, engine.Graph); err != nil {
		return err
	}
	prepared := make([]*lacuna.Question, len(questions))
	for i, text := range questions {
		if prepared[i], err = engine.Prepare(text, options...); err != nil {
			return err
		}
	}
	bar, done := a.Progress("asking"), 0
	defer bar.Done()
	var from *origin
	for some := range slices.Chunk(prepared, askedTogether) {
		results, err := engine.Answer(cmd.Context(), some...)
		if err == nil && a.JSON && from == nil { // after an answer, as that has fitted what probabilities it needed
			from, err = originOf(cmd.Context(), cmd, engine, some[0].Asking.By)
		}
		if err != nil {
			return err
		}
		bar.Done()
		for _, r := range results {
			if err := use(r, from, len(prepared)); err != nil {
				return err
			}
		}
		if err := a.Out.Flush(); err != nil { // whoever reads along need not wait for the rest
			return err
		}
		done += len(some)
		bar.Update(int64(done), int64(len(prepared)), count.Of(done, "question"))
	}
	return nil
}

// openEngine opens the graph and the model.
func (a *app) openEngine(cmd *cobra.Command, flags *askFlags) (*lacuna.Engine, error) {
	engine, err := a.Open(cmd.Context(), &flags.graph, command.ChosenModel(flags.model, &flags.graph, flags.links.By.Only()), &flags.device, &flags.links, flags.links.Options())
	if err != nil {
		return nil, err
	}
	if flags.graph.Source != "" {
		a.warnOfGraph(engine)
	}
	return engine, nil
}

// defaultQuestion is the demonstration's on the embedded graph; on another graph the user
// must ask, and is shown what.
func defaultQuestion(questions []string, source string, g *kg.Graph) ([]string, error) {
	if len(questions) > 0 {
		return questions, nil
	}
	if source == "" {
		return []string{turing.Question}, nil
	}
	examples := browse.Examples(g)
	if len(examples) == 0 {
		return nil, kg.Errorf(kg.Invalid, source, "the graph has no triples")
	}
	var texts []string
	for _, e := range examples {
		texts = append(texts, "'"+e.Question+"'")
	}
	return nil, kg.Errorf(kg.Invalid, "", "a question is needed, for example: lacuna ask -g %s %s", source, strings.Join(texts, " or "))
}

// readQuestions gives the lines of a file that are neither empty nor comments (#).
func (a *app) readQuestions(file string) ([]string, error) {
	in := a.Stdin
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, kg.ReadError(file, err)
		}
		defer f.Close()
		in = f
	}
	var questions []string
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line != "" && !strings.HasPrefix(line, "#") {
			questions = append(questions, line)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, kg.Errorf(kg.Invalid, file, "%v", err)
	}
	if len(questions) == 0 {
		return nil, kg.Errorf(kg.Invalid, file, "no question in it (expected one a line)")
	}
	return questions, nil
}

// readByPeople is how many answers a person may want to look at: longer lists are for programs, and not indented.
const readByPeople = 1000

// printResult writes one question as an indented object, and each of several, or one with a long list, as an object a line.
func (a *app) printResult(r *lacuna.Result, from *origin, of int) error {
	printed := struct {
		*lacuna.Result
		Origin *origin `json:"origin"`
	}{r, from}
	if of == 1 && len(r.Answers) <= readByPeople {
		return a.PrintJSON(printed)
	}
	encoder := json.NewEncoder(a.Out)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(printed)
}

// showAnswers prints question, steps and answers for a person.
func (a *app) showAnswers(r *lacuna.Result) {
	if r.Joined != nil {
		a.showJoin(r)
	} else {
		a.showTree(r)
	}
	for _, hint := range r.Hints {
		a.Remark("%s", hint)
	}
}

func (a *app) showTree(r *lacuna.Result) {
	s := a.Screen
	s.Printf("%s\n", s.Bold(r.Query))
	s.Printf("%s\n\n", s.Dim("shape "+r.Shape))
	drawTree(s, r.Steps)
	a.showCuts(r)
	s.Printf("\n%s\n", s.Bold(countAnswers(r)))
	a.listAnswers(r.Answers)
	if hidden := r.Total - len(r.Answers); hidden > 0 {
		s.Printf("  %s\n", s.Dim(fmt.Sprintf("… and %s more (-n -1 lists all)", count.Number(hidden))))
	}
	a.listLessLikely(r)
	a.showExpected(r)
	a.showGuarantee(r)
}

// showGuarantee says what the list guarantees.
func (a *app) showGuarantee(r *lacuna.Result) {
	if r.Guarantee != nil {
		a.Screen.Printf("%s\n", a.Screen.Dim(r.Guarantee.String()))
	}
}

// showExpected says how many of several answers are expected to be right, unless all of them are certain: they are known, and none is doubted.
func (a *app) showExpected(r *lacuna.Result) {
	isUncertain := func(answer lacuna.Answer) bool { return !answer.Known || answer.Probability < 1 }
	if shown := r.Shown(); len(shown) > 1 && slices.ContainsFunc(shown, isUncertain) { // of one its probability says it
		a.Screen.Printf("%s\n", a.Screen.Dim(expectText(r.Expected, len(shown))))
	}
}

// expectText says how many of so many answers are expected to be right.
func expectText(expected float64, shown int) string {
	if expected < 0.95 {
		return fmt.Sprintf("expect fewer than one of these %s to be right", count.Number(shown))
	}
	return fmt.Sprintf("expect about %.0f of these %s to be right", expected, count.Number(shown))
}

// listLessLikely lists what is below the threshold: the likeliest predictions, and known answers that the model doubts.
func (a *app) listLessLikely(r *lacuna.Result) {
	if len(r.LessLikely) > 0 {
		a.Screen.Printf("%s\n", a.Screen.Bold(fmt.Sprintf("below the threshold of %g", r.Threshold)))
		a.listAnswers(r.LessLikely)
	}
}

func (a *app) listAnswers(answers []lacuna.Answer) {
	for _, answer := range answers {
		a.Screen.Printf("  %s  %s  %s\n", explain.Percent(answer.Probability), mark(a.Screen, answer), nameWithID(a.Screen, answer))
		a.showDerivation(answer.Derivation)
	}
}

// mark tells apart what the graph states, what it implies and what the model predicts.
func mark(s command.Screen, answer lacuna.Answer) string {
	switch {
	case answer.Implied != "":
		return s.Green("implied  ")
	case answer.Known:
		return s.Green("known    ")
	}
	return s.Yellow("predicted")
}

func countAnswers(r *lacuna.Result) string {
	switch {
	case r.Total == 0 && len(r.LessLikely) > 0:
		return "No answer reaches the threshold."
	case r.Total == 0:
		return "No answer."
	}
	answers := count.Of(r.Total, "answer")
	if r.Total == 1 || r.KnownTotal == r.Total {
		return answers
	}
	return answers + fmt.Sprintf(", %s known and %s predicted", count.Number(r.KnownTotal), count.Number(r.Total-r.KnownTotal))
}

// nameWithID is an answer with the identifier behind its label; a terminal has room for a line of it, and for one of each where there are several.
func nameWithID(s command.Screen, answer lacuna.Answer) string {
	name, id, lines := answer.Entity, answer.ID, 1
	if len(answer.Entities) > 0 {
		name, id, lines = strings.Join(answer.Entities, ", "), "", len(answer.Entities)
	}
	if id != "" {
		id = "  " + id
	}
	if s.Terminal {
		name = command.Clip(name, max(12, lines*s.Width-len("  1.00  predicted  ")-utf8.RuneCountInString(id)))
	}
	return name + s.Dim(id)
}
