// `document.modelContext` (WebMCP), as a browser may have it. https://webmachinelearning.github.io/webmcp/

interface ModelContextTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema?: unknown;
  readonly annotations?: { readonly readOnlyHint?: boolean };
  readonly window?: Window;
  readonly origin?: string;
}

interface ModelContextObject extends EventTarget {
  getTools?(): Promise<readonly ModelContextTool[]>;
  executeTool?(tool: ModelContextTool, input: unknown): Promise<string>;
}

interface Document {
  readonly modelContext?: ModelContextObject;
}
