// Builds what the Python package ships; with --check it fails if that is not what this source gives.
import { build } from "esbuild";
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const target = path.join(here, "..", "src", "veer", "show", "page", "built");
const require = createRequire(import.meta.url);

async function bundled() {
  const { outputFiles, metafile } = await build({
    entryPoints: [path.join(here, "src", "main.tsx")],
    absWorkingDir: here,
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    outdir: "out",
    format: "iife",
    target: "es2022",
    charset: "ascii",
    legalComments: "none",
    define: { "process.env.NODE_ENV": '"production"' },
    jsx: "automatic",
    preserveSymlinks: true,
  });
  const text = (end) => outputFiles.find((file) => file.path.endsWith(end)).text;
  return { script: text(".js"), style: text(".css"), inputs: Object.keys(metafile.inputs) };
}

/** The layout library so that it runs as a worker, and where there are none, in the page. */
async function elk() {
  const text = await readFile(require.resolve("elkjs/lib/elk-worker.min.js"), "utf8");
  return `(() => { var module = { exports: {} }, exports = module.exports;\n${text}\nif (typeof window !== "undefined") window.veerElkWorker = module.exports.Worker; })();\n`;
}

/** The licences of everything that is part of the bundle. */
async function licences(inputs) {
  const names = new Set(["elkjs"]);
  for (const input of inputs) {
    const found = /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input);
    if (found) names.add(found[1]);
  }
  const parts = [];
  for (const name of [...names].sort()) {
    const folder = path.join(here, "node_modules", name);
    const about = JSON.parse(await readFile(path.join(folder, "package.json"), "utf8"));
    let text = "";
    for (const file of ["LICENSE", "LICENSE.md", "LICENSE.txt", "license"]) {
      text ||= await readFile(path.join(folder, file), "utf8").catch(() => "");
    }
    parts.push(`${name} ${about.version}: ${about.license}\n\n${text.replaceAll("\r\n", "\n").trim()}\n`);
  }
  return `The bundle holds these packages, each under its own licence; their source is in the npm registry under these names.\n\n${parts.join(`\n${"-".repeat(80)}\n\n`)}`;
}

const { script, style, inputs } = await bundled();
const files = { "view.js": script, "view.css": style, "elk.js": await elk(), "LICENSES.txt": await licences(inputs) };
const stale = [];
for (const [name, text] of Object.entries(files)) {
  const file = path.join(target, name);
  if (process.argv.includes("--check")) {
    if ((await readFile(file, "utf8").catch(() => "")) !== text) stale.push(name);
  } else await writeFile(file, text);
}
if (stale.length) {
  console.error(`not what the source gives: ${stale.join(", ")}; run make ui`);
  process.exit(1);
}
