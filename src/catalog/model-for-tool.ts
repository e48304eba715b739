import type { Tool } from "#contract/tools.ts"
import { isPriced, type Model } from "./model.ts"
import { modelToTry } from "./model-to-try.ts"

interface Families {
  /** Names of capable models that are neither the cheapest nor the most expensive. */
  readonly main: RegExp
  /** Names of models for small tasks. */
  readonly small?: RegExp
}

/** Families of models that coding agents are built for. */
const FAMILIES: Partial<Record<Tool, Families>> = {
  claude: { main: /^claude-sonnet-[\d.-]+$/, small: /^claude-haiku-[\d.-]+$/ },
  codex: { main: /^gpt-[\d.]+(-codex)?$/ },
  gemini: { main: /^gemini-[\d.]+-flash$/ },
}

/** The models that a tool starts with. */
export interface ToolModels {
  readonly model: Model | undefined
  /** The model for small tasks, such as titles and summaries, which need no capable model. */
  readonly small: Model | undefined
}

/** Returns the newest models of the families that a tool is built for, and otherwise the model for a first request. */
export function modelsForTool(tool: Tool, models: readonly Model[]): ToolModels {
  const families = FAMILIES[tool]
  const other = modelToTry(models)
  return {
    model: newestOf(families?.main, models) ?? other,
    small: newestOf(families?.small, models) ?? other,
  }
}

function newestOf(family: RegExp | undefined, models: readonly Model[]): Model | undefined {
  if (family === undefined) return undefined
  const fitting = models.filter(
    (model) =>
      model.kind === "chat" &&
      model.members === undefined &&
      isPriced(model) &&
      family.test(model.id.slice(model.id.lastIndexOf("/") + 1)),
  )
  return fitting.toSorted(newestFirst)[0]
}

/** A provider of the family itself comes before a router, and a name without a date before a name with a date. */
function newestFirst(left: Model, right: Model): number {
  return (
    left.id.split("/").length - right.id.split("/").length ||
    right.created - left.created ||
    left.id.length - right.id.length
  )
}
