/** The kit for browser extensions that offer tools: `harbor-plugin/v1`. */

export type { ExtensionApi } from "./api.js";
export { HUB_IDS, type Plugin, type PluginOptions, startPlugin } from "./plugin.js";
export { ERROR_CODES, type ErrorCode, type JsonSchema, type ToolDefinition, VERSION } from "./protocol.js";
export { type CallContext, defineTool, type Tool, ToolError } from "./tool.js";
