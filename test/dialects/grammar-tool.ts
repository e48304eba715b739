import { textTool } from "../../src/dialects/shared/text-tool.ts"

/** A tool that takes text, which has to follow a grammar. */
export const GRAMMAR_TOOL = textTool("patch", {
  form: "text",
  name: "patch",
  format: { type: "grammar", syntax: "lark", definition: "start: /.+/" },
})
