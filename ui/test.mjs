// Runs the tests of the view in node, which does not read TypeScript by itself.
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const folder = path.join(path.dirname(fileURLToPath(import.meta.url)), "test");
const out = mkdtempSync(path.join(tmpdir(), "veer-ui-"));
try {
  const entryPoints = readdirSync(folder).map((file) => path.join(folder, file));
  await build({ entryPoints, bundle: true, platform: "node", format: "esm", outdir: out, outExtension: { ".js": ".mjs" }, logLevel: "error" });
  const files = readdirSync(out).map((file) => path.join(out, file));
  process.exitCode = spawnSync(process.execPath, ["--test", ...files], { stdio: "inherit" }).status ?? 1;
} finally {
  rmSync(out, { recursive: true });
}
