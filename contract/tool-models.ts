import type { Tool } from "./tools.ts"

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

interface DatedModel {
  readonly id: string
  /** Unix seconds. */
  readonly created: number
}

/** The models that a tool starts with. */
export interface ToolModels<Model> {
  readonly main: Model | undefined
  /** The model for small tasks, such as titles and summaries, which need no capable model. */
  readonly small: Model | undefined
}

/**
 * Returns the newest models of the families that a tool is built for.
 * @param models chat models that can be called.
 */
export function familyModels<Model extends DatedModel>(
  tool: Tool,
  models: readonly Model[],
): ToolModels<Model> {
  const { main, small } = FAMILIES[tool] ?? {}
  return { main: newestOf(main, models), small: newestOf(small, models) }
}

function newestOf<Model extends DatedModel>(
  family: RegExp | undefined,
  models: readonly Model[],
): Model | undefined {
  if (family === undefined) return undefined
  return models
    .filter(({ id }) => family.test(id.slice(id.lastIndexOf("/") + 1)))
    .toSorted(newestFirst)[0]
}

/** A provider of the family itself comes before a router, and a name without a date before a name with a date. */
function newestFirst(left: DatedModel, right: DatedModel): number {
  return (
    left.id.split("/").length - right.id.split("/").length ||
    right.created - left.created ||
    left.id.length - right.id.length
  )
}
