// Bundles the extension into dist/, or the unit tests into out/ (--tests). With --release, it also checks the version.
import { build } from "esbuild";
import { readFileSync, readdirSync } from "node:fs";

const tests = process.argv.includes("--tests");
const release = process.argv.includes("--release");

if (release) {
  const wanted = /^version = "(.*)"/m.exec(readFileSync("../../Cargo.toml", "utf8"))?.[1];
  const { version } = JSON.parse(readFileSync("package.json", "utf8"));
  if (version !== wanted) {
    console.error(`package.json has version ${version}, and Cargo.toml ${wanted}: run npm version ${wanted} --no-git-tag-version`);
    process.exit(1);
  }
}
await build({
  entryPoints: tests ? readdirSync("test/unit").map((name) => `test/unit/${name}`) : ["src/extension.ts"],
  outdir: tests ? "out" : "dist",
  bundle: true,
  platform: "node",
  target: "node18",
  format: "cjs",
  external: ["vscode"],
  minify: release,
  sourcemap: !release,
  logLevel: "warning",
});
