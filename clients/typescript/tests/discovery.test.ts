import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, it } from "node:test";

import { Oryn } from "oryn-browser";

import { findProgram, type EngineMode } from "../dist/discovery.js";

import { CASES } from "./cases.js";
import { isExpected } from "./expectations.js";

describe("discovery", () => {
  const folders: string[] = [];
  after(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));

  function rootWith(files: readonly string[]): string {
    const root = mkdtempSync(join(tmpdir(), "oryn-discovery-"));
    folders.push(root);
    for (const file of files) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), "#!/bin/sh\n");
      chmodSync(join(root, file), 0o755);
    }
    return root;
  }

  interface Search {
    readonly mode: EngineMode;
    readonly binary?: string;
    readonly path: string[];
  }

  function searchIn(root: string, { mode, binary, path }: Search): string[] {
    const places = {
      path: path.map((folder) => join(root, folder)),
      home: join(root, "home"),
      local: join(root, "local", "bin"),
      beside: join(root, "beside"),
    };
    const program = findProgram(mode, binary && join(root, binary), places);
    return [program.path, ...program.words];
  }

  for (const each of CASES.discovery.cases) {
    it(each.name, () => {
      const root = rootWith(each.files);
      if (each.fails) assert.throws(() => searchIn(root, each), (error) => isExpected(error, each));
      else assert.deepEqual(searchIn(root, each), [join(root, each.found![0]!), ...each.found!.slice(1)]);
    });
  }

  it("a name alone is looked for in PATH", () => {
    const root = rootWith(["a/mine"]);
    const places = { path: [join(root, "a")], home: root, local: root, beside: root };
    assert.deepEqual(findProgram("headless", "mine", places), { path: join(root, "a", "mine"), words: [] });
  });

  it("~ is the home", () => {
    const root = rootWith(["bin/oryn-e"]);
    const places = { path: [], home: root, local: root, beside: root };
    assert.equal(findProgram("embedded", "~/bin/oryn-e", places).path, join(root, "bin", "oryn-e"));
  });

  it("a file that can't be run is no program, nor is a folder", () => {
    const root = rootWith([]);
    writeFileSync(join(root, "oryn-h"), "");
    mkdirSync(join(root, "b", "oryn-h"), { recursive: true });
    assert.throws(() => searchIn(root, { mode: "headless", path: ["", "b"] }), { code: "ENGINE_NOT_FOUND" });
  });
});

describe("modes", () => {
  for (const each of CASES.modes.refused) {
    it(each.name, () => {
      assert.throws(() => new Oryn({ mode: each.mode, binary: "/bin/false" }), (error) => isExpected(error, each));
    });
  }
});
