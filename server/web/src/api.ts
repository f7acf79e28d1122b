// The HTTP API of `lacuna serve`: its types, and one function a route.

import type { Cut } from "./cut.ts";
import { compact, type Plan } from "./plan.ts";
import type { QuestionGraph } from "./question_graph.ts";
import { pack } from "./tar.ts";
import { authorized, token } from "./token.ts";

export interface Info {
  graph: { name: string; entities: number; relations: number; triples: number; version?: number };
  model: { name: string; kind?: string } | null;
  questions: Prepared[] | null;
  truth: boolean;
  durable?: boolean;
  upload?: boolean; // files can be brought
}

export interface Prepared {
  title: string;
  question: string;
  why: string;
}

/** Answer is an entity with its degree in a set or, of several answer variables, an entity for each. */
export interface Answer {
  entity: string;
  entities?: string[];
  ids?: string[]; // of them, where one is a label
  id?: string;
  probability: number;
  known: boolean;
  implied?: string; // by which rules, where the graph does not state it
  right?: boolean; // only where the server holds the truth
}

/** idOf tells entities apart, which may share a label. */
export const idOf = ({ entity, id }: { entity: string; id?: string }): string => id ?? entity;

export interface Step {
  op: Op;
  entity?: string;
  relation?: string;
  inputs: number[];
  cardinality: number;
  top: Answer[] | null;
}

export type Op = "entity" | "everything" | "project" | "not" | "and" | "or";

export interface Result {
  query: string;
  operators: string;
  shape: string;
  answers: Answer[] | null;
  total: number;
  known_total: number;
  cardinality: number;
  less_likely?: Answer[]; // below the threshold: the likeliest predictions, and known answers that the model doubts
  doubted?: number; // how many of these there are, listed or not
  expected: number; // how many of both lists should be right
  steps: Step[]; // none where the variables form no tree
  probability?: number; // of a question of yes or no, as is known
  known?: boolean;
  implied?: string;
  graph?: QuestionGraph; // where the variables form no tree, as the next
  variables?: { variable: string; top: Answer[] }[];
  more?: boolean; // there are answers beyond those listed, which the totals do not count
  cut?: Cut;
  hints?: string[]; // where the question may not be what was meant
  stats: { prepare_ms: number; project_ms: number; combine_ms: number };
}

/** shown are the answers and the less likely predictions behind them. */
export const shown = (result: Result | null): Answer[] => [...(result?.answers ?? []), ...(result?.less_likely ?? [])];

export interface Settings {
  mode: "predict" | "exact";
  by: "" | "links" | "sets"; // how the model predicts; "" is the server's own way
  logic: "product" | "godel" | "lukasiewicz";
  threshold: number;
  limit: number;
}

export interface Fact {
  head: string;
  head_id?: string; // where head is a label
  relation: string;
  tail: string;
  tail_id?: string;
}

export interface Match {
  name: string;
  id?: string;
  facts?: number;
}

export interface Neighbourhood {
  name: string;
  id: string;
  facts: number;
  relations: { relation: string; base: string; inverse: boolean; count: number; examples: string[] | null; example_ids?: string[] }[] | null;
  likely?: (Fact & { probability: number })[];
}

/** Counted is a relation with its number of facts. */
export interface Counted {
  name: string;
  id?: string;
  facts: number;
}

/** Kind is a kind of entities; a relation leads to it where questions can ask for them. */
export interface Kind {
  name: string;
  entities: number;
  relation?: string;
  id?: string;
  examples: { name: string; id: string }[];
}

/** Brought is how files were read, or would be. */
export interface Brought {
  plan?: Plan;
  facts: number;
  first: Fact[];
  remarks: string[];
}

export interface Explanation {
  query: string;
  answer: Answer;
  derivation: QuestionGraph; // with the values of the variables
  missing?: string; // the link without which nothing leads to the answer
  links: Link[] | null;
}

export interface Link extends Fact {
  probability: number;
  known: boolean;
  implied?: string;
  paths?: Path[];
  counterfactual?: Counterfactual;
}

export interface Path {
  weight: number;
  edges: (Fact & { inverse: boolean; weight: number })[];
  alike?: number; // more paths by the same relations
}

export interface Counterfactual {
  removed: Fact[];
  before: number;
  after: number;
  control?: { removed: number; draws: number; after: number; lowest: number };
}

/** Refusal is an error that the server explained; line and column count from 1, columns in code points. */
export class Refusal extends Error {
  constructor(
    message: string,
    readonly kind: string,
    readonly line = 0,
    readonly column = 0,
  ) {
    super(message);
  }
}

/** seen is the version of the graph after the last change that was made here, or a later one that an answer told: servers that share their facts answer on it or a later one. */
let seen = 0;

/** onSeen asks for that version where the graph is read. */
const onSeen = (path: string): string => (seen > 0 && !/^api\/(facts|graph)\b/.test(path) ? `${path}${path.includes("?") ? "&" : "?"}min_version=${seen}` : path);

async function request<T>(path: string, init: RequestInit = {}): Promise<T> {
  const response = await authorized(() => send(onSeen(path), init));
  const body: unknown = await response.json().catch(() => null);
  const version = (body as { version?: number } | null)?.version ?? 0;
  if (response.ok && (seen > 0 || path === "api/facts")) seen = Math.max(seen, version);
  if (response.status === 412) seen = 0; // the facts were put back to an earlier state, which is said once
  if (response.ok) return body as T;
  const error = (body as { error?: { kind?: string; message?: string; line?: number; column?: number } } | null)?.error;
  throw new Refusal(error?.message ?? `the server answered ${response.status}`, error?.kind ?? "failed", error?.line, error?.column);
}

/** send makes a request, with the token where the server wants one. */
function send(path: string, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers);
  if (token()) headers.set("Authorization", `Bearer ${token()}`);
  return fetch(path, { ...init, headers }).catch((cause: unknown) => {
    if (cause instanceof DOMException && cause.name === "AbortError") throw cause;
    throw new Refusal("the server does not answer; is it still running?", "offline");
  });
}

const post = <T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> =>
  request<T>(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal });

const search = (params: Record<string, string | number>): string =>
  new URLSearchParams(Object.entries(params).map(([k, v]) => [k, String(v)])).toString();

export const info = (): Promise<Info> => request("api/info");

export const ask = (question: string, settings: Settings, signal?: AbortSignal): Promise<Result> =>
  post<Result>("api/ask", { question, ...options(settings), limit: settings.limit, top: 24 }, signal).then(asRows);

/** asRows gives the answers to a question that is no tree as rows of the same table: several entities as one name, yes or no as an answer. */
export function asRows(result: Result): Result {
  const rows = (answers: Answer[] | null | undefined): Answer[] => (answers ?? []).map((a) => (a.entities ? { ...a, entity: a.entities.join(", "), id: undefined } : a));
  if (result.probability === undefined) return { ...result, answers: rows(result.answers), less_likely: rows(result.less_likely) };
  const known = (result.known ?? false) && result.probability >= 0.5; // else the model doubts what the graph states
  const yes = { entity: result.probability >= 0.5 ? "Yes" : "No", probability: result.probability, known, ...(known && result.implied ? { implied: result.implied } : {}) };
  return { ...result, answers: [yes], expected: result.probability, total: 1, known_total: known ? 1 : 0 };
}

/** explain says why an answer answers a question: entities by name or identifier, one for each answer variable. */
export const explain = (question: string, entities: string[], settings: Settings): Promise<Explanation> =>
  post("api/explain", { question, entities, ...options(settings) });

/** entitiesOf names the entities of an answer, none of a question of yes or no. */
export const entitiesOf = ({ entities, ids, entity, id }: Answer, yesOrNo: boolean): string[] =>
  yesOrNo ? [] : entities ? entities.map((name, i) => ids?.[i] || name) : [id ?? entity];

/** Which mode is the default, the server knows: it depends on whether there is a model. */
const options = ({ mode, by, logic, threshold }: Settings): object => ({ mode: mode === "exact" ? mode : undefined, by: by || undefined, logic, threshold });

export const change = (add: Fact[], remove: Fact[]): Promise<unknown> => post("api/facts", { add: add.map(byID), remove: remove.map(byID), key: key() });

/** key names a request, so that it is made once. */
const key = (): string => Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");

const byID = ({ head, head_id, relation, tail, tail_id }: Fact): object => ({ head: head_id ?? head, relation, tail: tail_id ?? tail });

export async function complete(kind: "entity" | "relation", q: string, limit = 8): Promise<Match[]> {
  const found = await request<{ matches: Match[] | null }>("api/complete?" + search({ kind, q, limit }));
  return found.matches ?? [];
}

/** entity describes an entity, with so many of its likely missing facts. */
export const entity = (name: string, likely = 0): Promise<Neighbourhood> => request("api/entity?" + search(likely > 0 ? { name, likely } : { name }));

export const relations = (): Promise<Counted[]> => request("api/relations");

export const kinds = (): Promise<Kind[]> => request("api/kinds");

/** bring sends files, several as one archive; as "plan" they are only looked at. */
export function bring(files: File[], as: "replace" | "add" | "plan", by?: Plan): Promise<Brought> {
  const name = files.length === 1 ? files[0]!.name : files.map((f) => f.name.replace(/\.[^.]*$/, "")).join(", ").slice(0, 60);
  const file = files.length === 1 ? files[0]! : pack(files);
  const path = "api/graph?" + search({ name, as });
  if (!by) return request(path, { method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: file });
  const form = new FormData(); // a plan is too long for an address
  form.append("plan", compact(by));
  form.append("file", file);
  return request(path, { method: "POST", body: form });
}
