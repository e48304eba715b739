import { type EffectiveRule, RULE_SOURCE_WORDS, ruleText } from "#contract/effective-rules.ts"
import { runtimeConfigOf } from "../app/state.ts"
import { GatewayError } from "../canon/errors.ts"
import type { Catalog } from "../catalog/catalog.ts"
import { entryOf, type ModelEntry } from "../catalog/entry.ts"
import { listedRules } from "../catalog/model-rules.ts"
import { placeOf } from "../catalog/model.ts"
import { loadSettings } from "../config/load.ts"
import type { Settings } from "../config/settings.ts"
import { outputOf, type RegisterCommand } from "./command.ts"
import { loadOptions } from "./load-options.ts"
import { type Column, formatTable, type Style } from "./output.ts"
import { wholeSettings } from "./whole-settings.ts"

const COLUMNS: readonly Column<ModelEntry>[] = [
  { title: "MODEL", cell: ({ id }) => id },
  { title: "KIND", cell: ({ kind }) => kind },
  { title: "CONTEXT", align: "right", cell: ({ context_length }) => String(context_length ?? "-") },
  { title: "INPUT", align: "right", cell: ({ pricing }) => pricing?.input ?? "no price" },
  { title: "OUTPUT", align: "right", cell: ({ pricing }) => pricing?.output ?? "" },
]

const PRICES_NOTE =
  "Prices are credits per million tokens, multiplier included. Requests to a model without a price are rejected."

/** `tollgate models` */
export const registerModels: RegisterCommand = (program, terminal) => {
  program
    .command("models")
    .description("list the available models with their prices")
    .option("--rules <model>", "print the rules of a model for each deployment, with their sources")
    .action(async ({ rules }: { readonly rules?: string }, command) => {
      const load = loadOptions(command)
      const { settings, lists } = await wholeSettings(load, loadSettings(load))
      const { catalog } = runtimeConfigOf(settings, lists).config
      if (rules !== undefined) {
        if (catalog.list().length === 0) {
          throw new GatewayError("model_not_found", noModels(settings, catalog))
        }
        const document = modelRules(catalog, rules)
        return outputOf(command, terminal).result(document, (style) => rulesText(document, style))
      }
      const models = catalog.list().map((model) => entryOf(catalog.priced(model)))
      outputOf(command, terminal).result({ models }, (style) => {
        if (models.length === 0) return noModels(settings, catalog)
        const notes = [PRICES_NOTE, ...catalog.withoutModels].join("\n")
        return `${formatTable(COLUMNS, models, style)}\n\n${notes}`
      })
    })
}

/** The rules of a model at each of its deployments. */
interface ModelRulesDocument {
  readonly model: string
  readonly deployments: readonly {
    readonly provider: string
    readonly model: string
    readonly rules: readonly EffectiveRule[]
  }[]
}

/**
 * Returns the rules of a model.
 * @throws GatewayError `model_not_found`.
 */
function modelRules(catalog: Catalog, name: string): ModelRulesDocument {
  const { id, deployments, paused = [] } = catalog.resolve(name) ?? catalog.listed(name)
  // Deployments that differ only in their credential have the same rules.
  const places = Map.groupBy([...deployments, ...paused], placeOf)
  return {
    model: id,
    deployments: [...places.values()].flatMap(([deployment]) =>
      deployment === undefined
        ? []
        : {
            provider: deployment.provider,
            model: deployment.upstreamModel,
            rules: listedRules(deployment),
          },
    ),
  }
}

const RULE_COLUMNS: readonly Column<EffectiveRule>[] = [
  { title: "RULE", cell: ({ name }) => name },
  { title: "VALUE", cell: ({ value }) => ruleText(value) },
  {
    title: "FROM",
    cell: ({ source, note }) =>
      note === null ? RULE_SOURCE_WORDS[source] : `${RULE_SOURCE_WORDS[source]}: ${note}`,
  },
]
const RULES_NOTE =
  "Set one under 'rules' of the model or its deployment. The console also shows rules that the running gateway learned from rejected requests."

function rulesText({ model, deployments }: ModelRulesDocument, style: Style): string {
  const parts = deployments.map(({ provider, model: name, rules }) => {
    const title = style.strong(`${model} at ${provider}/${name}`)
    if (rules.length === 0) return `${title}\nNo rules: requests are sent unchanged.`
    return `${title}\n${formatTable(RULE_COLUMNS, rules, style)}`
  })
  return [...parts, RULES_NOTE].join("\n\n")
}

/** Explains why the list is empty and how to fix this. */
function noModels({ providers }: Settings, { withoutModels }: Catalog): string {
  if (Object.keys(providers).length === 0) {
    return "No provider is configured. Set a provider's variable such as OPENAI_API_KEY, or write tollgate.yaml."
  }
  return ["No model can be called.", ...withoutModels].join("\n")
}
