import { textTool } from "../../src/dialects/shared/text-tool.ts"

/** A tool whose input is text that follows a grammar. */
export const GRAMMAR_TOOL = textTool("patch", {
  form: "text",
  name: "patch",
  format: { type: "grammar", syntax: "lark", definition: "start: /.+/" },
})
