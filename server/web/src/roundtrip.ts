// For a test in Go: reads the steps of results as JSON lines and writes the questions that the page would make of them.

import { createInterface } from "node:readline";
import type { Step } from "./api.ts";
import { fromSteps } from "./expression.ts";
import { toText } from "./formula.ts";

for await (const line of createInterface({ input: process.stdin })) {
  const expression = fromSteps(JSON.parse(line) as Step[]);
  console.log(expression ? toText(expression) : "");
}
