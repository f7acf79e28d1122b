// Builds the page into built/ (committed, embedded by web.go), or with --test its unit tests into the given folder.
import { build } from "esbuild";
import { copyFile, mkdir, readdir } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const [mode = "--page", folder] = process.argv.slice(2);
const source = (name) => path.join(here, "src", name);

async function page(out) {
  await mkdir(out, { recursive: true });
  await build({
    entryPoints: { app: source("main.ts"), style: source("style/style.css"), sparql: source("sparql.ts"), "sparql-style": source("style/sparql.css") },
    outdir: out,
    absWorkingDir: here,
    bundle: true,
    minify: true,
    format: "iife",
    target: ["es2022", "chrome109", "firefox115", "safari16.4"],
    charset: "utf8",
    legalComments: "none",
    logLevel: "warning",
  });
  for (const name of ["index.html", "sparql.html", "icon.svg"]) await copyFile(source(name), path.join(out, name));
}

async function tests(out) {
  const names = (await readdir(path.join(here, "src"))).filter((name) => name.endsWith(".test.ts") || name === "roundtrip.ts");
  await build({
    entryPoints: names.map(source),
    outdir: out,
    absWorkingDir: here,
    bundle: true,
    platform: "node",
    format: "esm",
    outExtension: { ".js": ".mjs" },
    logLevel: "warning",
  });
}

await (mode === "--test" ? tests(folder) : page(folder ?? path.join(here, "built")));
