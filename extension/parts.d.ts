// Modules that `build.mjs` takes from elsewhere, as far as the extension uses them.

/** `src/oryn/daemon/live/static/dom.js`, which the live page uses too. */
declare module 'live-page/dom' {
  type Child = Node | string | null | undefined;
  type Properties = Readonly<Record<string, unknown>>;
  export function element<K extends keyof HTMLElementTagNameMap>(
    name: K,
    properties?: Properties,
    ...children: Child[]
  ): HTMLElementTagNameMap[K];
  export function setText(node: Node, text: string): void;
  export function timeElement(timestamp: string): HTMLTimeElement;
  export function formatDuration(milliseconds: number): string;
  export function announce(text: string): void;
}

/** `src/oryn/browsers/common/console_listeners.js`, which other browsers' sessions use too. */
declare module 'console-listeners' {
  export function reportConsole(emit: (message: object) => void): void;
  /** `JSON.stringify` as it was at the start. */
  export const stringify: (value: object) => string;
}

/** https://www.npmjs.com/package/@cfworker/json-schema, in the package as `hub/json_schema`. */
declare module '@cfworker/json-schema' {
  export const format: Record<string, (text: string) => boolean>;
  export class Validator {
    constructor(schema: unknown, draft: '2020-12', shortCircuit: boolean);
    validate(value: unknown): { valid: boolean; errors: { instanceLocation: string; error: string }[] };
  }
}

/** https://pyodide.org/en/stable/usage/api/js-api.html, and what its types leave out: snapshots of memory. */
declare module 'pyodide' {
  interface PyodideModule {
    HEAP8: Int8Array;
    growMemory(size: number): void;
  }
  export type CreateModule = (settings: unknown) => Promise<PyodideModule>;
  interface FileSystem {
    writeFile(path: string, content: Uint8Array): void;
  }
  export interface Options {
    createPyodideModule?: CreateModule;
    indexURL?: string;
    packageBaseUrl?: string;
    lockFileURL?: string;
    stderr?: (line: string) => void;
    env?: Record<string, string>;
    fsInit?: (files: FileSystem) => Promise<void>;
    _loadSnapshot?: Uint8Array;
  }
  export interface Pyodide {
    runPython(code: string): unknown;
    pyimport(name: string): unknown;
  }
  export function loadPyodide(options: Options): Promise<Pyodide>;
  export const version: string;
}

declare module 'pyodide/module' {
  import type { CreateModule } from 'pyodide';
  const createPyodideModule: CreateModule;
  export default createPyodideModule;
}
