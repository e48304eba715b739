import { runtimeConfigOf } from "../app/state.ts"
import type { Catalog } from "../catalog/catalog.ts"
import { loadSettings } from "../config/load.ts"
import type { Settings } from "../config/settings.ts"
import { outputOf, type RegisterCommand } from "./command.ts"
import { loadOptions } from "./load-options.ts"
import { formatTable } from "./output.ts"
import { wholeSettings } from "./whole-settings.ts"

const COLUMNS = [
  { title: "MODEL" },
  { title: "KIND" },
  { title: "CONTEXT", align: "right" },
  { title: "INPUT", align: "right" },
  { title: "OUTPUT", align: "right" },
] as const

const PRICES_NOTE =
  "Prices are credits per million tokens, multiplier included. A model without a price is refused."

/** `tollgate models` */
export const registerModels: RegisterCommand = (program, terminal) => {
  program
    .command("models")
    .description("list the models that the settings make available, with their prices")
    .action(async (_options: object, command) => {
      const load = loadOptions(command)
      const { settings, lists } = await wholeSettings(load, loadSettings(load))
      const { catalog } = runtimeConfigOf(settings, lists).config
      const models = catalog.list().map((model) => catalog.entry(model))
      outputOf(command, terminal).result({ models }, (style) => {
        if (models.length === 0) return noModels(settings, catalog)
        const rows = models.map((model) => [
          model.id,
          model.kind,
          model.context_length === undefined ? "-" : String(model.context_length),
          model.pricing?.input ?? "no price",
          model.pricing?.output ?? "",
        ])
        const notes = [PRICES_NOTE, ...catalog.withoutModels].join("\n")
        return `${formatTable(COLUMNS, rows, style)}\n\n${notes}`
      })
    })
}

/** Why the list is empty, and what to do. */
function noModels({ providers }: Settings, { withoutModels }: Catalog): string {
  if (Object.keys(providers).length === 0) {
    return "No provider is set up yet. Set a vendor's variable such as OPENAI_API_KEY, or write tollgate.yaml."
  }
  return ["No model can be called.", ...withoutModels].join("\n")
}
