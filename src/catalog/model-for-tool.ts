import { familyModels, type ToolModels } from "#contract/tool-models.ts"
import type { Tool } from "#contract/tools.ts"
import { isPriced, type Model } from "./model.ts"
import { modelToTry } from "./model-to-try.ts"

/** Returns the newest models of the families that a tool is built for, and otherwise the model for a first request. */
export function modelsForTool(tool: Tool, models: readonly Model[]): ToolModels<Model> {
  const callable = models.filter(
    (model) => model.kind === "chat" && model.members === undefined && isPriced(model),
  )
  const { main, small } = familyModels(tool, callable)
  const other = modelToTry(models)
  return { main: main ?? other, small: small ?? other }
}
