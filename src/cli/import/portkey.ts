import { isJsonObject, type JsonObject, parseJsonObject } from "../../canon/json.ts"
import { CommandError } from "../exit-codes.ts"
import { textOf } from "./litellm-database.ts"
import { ModelBuilder } from "./models.ts"
import { Differences, type ImportPlan, isNothing } from "./plan.ts"
import { PORTKEY_READ, portkeyConnection } from "./portkey-connection.ts"
import { Providers } from "./providers.ts"
import { Variables } from "./variables.ts"

const STRATEGIES = new Set(["single", "fallback", "loadbalance", "conditional"])

/** A target without nested targets, with its share of the requests. */
interface Leaf {
  readonly subject: string
  readonly target: JsonObject
  readonly weight: number
}

/**
 * Plans the import of a Portkey config. The config becomes one model whose targets are used by weight or one after the
 * other. A conditional config becomes one model per target.
 * @param directory the folder of the settings file that will be written.
 * @throws CommandError `usage`.
 */
export async function planPortkey(file: string, directory: string): Promise<ImportPlan> {
  const text = textOf(file)
  const config = parseJsonObject(text)
  if (!config) throw new CommandError("usage", `${file} does not contain a JSON object`)
  const differences = new Differences()
  const variables = new Variables("PORTKEY", text)
  const providers = new Providers(differences, variables, directory)
  const builder = new ModelBuilder("portkey", differences)
  const planner = new ConfigReader(providers, differences, builder)
  const names = planner.read(config)
  if (Object.keys(providers.settings).length === 0)
    throw new CommandError("usage", `${file} has no known target`)
  const { ids: _names, ...models } = builder.finish()
  differences.toDecide("model", `callers have to name it: ${names.join(", ")}`)
  return {
    settings: { providers: providers.settings, ...models },
    variables,
    accounts: [],
    differences,
  }
}

class ConfigReader {
  readonly #providers: Providers
  readonly #differences: Differences
  readonly #builder: ModelBuilder

  constructor(providers: Providers, differences: Differences, builder: ModelBuilder) {
    this.#providers = providers
    this.#differences = differences
    this.#builder = builder
  }

  /**
   * Adds the models of a config.
   * @returns their names.
   */
  read(config: JsonObject): readonly string[] {
    if (modeOf(config) !== "conditional") return [this.#add("default", config, "config")]
    const words = "'strategy.conditions': each target is a model, and callers choose it by name"
    this.#differences.changed("config", words)
    this.#reportUnknown(config, "config")
    return targetsOf(config).map((target, index) => {
      const name = String(target["name"] ?? `target-${index + 1}`)
      return this.#add(name, target, `target ${name}`)
    })
  }

  #add(name: string, config: JsonObject, subject: string): string {
    const leaves = this.#leavesOf(config, subject, 1)
    for (const leaf of leaves) {
      const found = portkeyConnection(leaf.target)
      if (typeof found === "string") {
        this.#differences.leftOut(leaf.subject, found)
        continue
      }
      for (const ignored of found.ignored) this.#differences.leftOut(leaf.subject, ignored)
      const providerModel = this.#providers.modelAt(leaf.subject, found.connection, found.model)
      if (!providerModel) continue
      this.#builder.add(name, { ...providerModel, weight: leaf.weight })
    }
    return name
  }

  /**
   * Returns the targets of a config that have no nested targets. Fallbacks have a weight of 0. Shares of nested targets
   * are multiplied.
   */
  #leavesOf(config: JsonObject, subject: string, weight: number): Leaf[] {
    this.#reportUnknown(config, subject)
    const targets = targetsOf(config)
    if (targets.length === 0) return [{ subject, target: config, weight }]
    const mode = modeOf(config)
    if (mode !== undefined && !STRATEGIES.has(mode))
      this.#differences.leftOut(subject, `'strategy.mode: ${mode}'`)
    const isFallback = mode === "fallback"
    return targets.flatMap((target, index) => {
      const inherited = inheritedBy(config, target)
      const own = isFallback ? Number(index === 0) : numberOf(target["weight"])
      const prefix = subject === "config" ? "target " : `${subject}.`
      return this.#leavesOf(inherited, `${prefix}${index + 1}`, weight * own)
    })
  }

  #reportUnknown(config: JsonObject, subject: string): void {
    for (const name of Object.keys(config))
      if (!PORTKEY_READ.has(name)) this.#differences.leftOut(subject, `'${name}'`)
    const { targets, weight } = config
    if (!isNothing(targets) && !(Array.isArray(targets) && targets.every(isJsonObject)))
      this.#differences.leftOut(subject, "'targets' that are not objects")
    if (!isNothing(weight) && !isWeight(weight))
      this.#differences.leftOut(subject, "'weight', which is not a number")
  }
}

function targetsOf(config: JsonObject): readonly JsonObject[] {
  return Array.isArray(config["targets"]) ? config["targets"].filter(isJsonObject) : []
}

function modeOf(config: JsonObject): string | undefined {
  const mode = isJsonObject(config["strategy"]) ? config["strategy"]["mode"] : undefined
  return typeof mode === "string" ? mode : undefined
}

/** Returns the parameters that a target inherits from the config that contains it. */
function inheritedBy(config: JsonObject, target: JsonObject): JsonObject {
  const own = target["override_params"]
  const outer = config["override_params"]
  if (!isJsonObject(outer)) return target
  return { ...target, override_params: { ...outer, ...(isJsonObject(own) && own) } }
}

function numberOf(weight: unknown): number {
  return isWeight(weight) ? weight : 1
}

function isWeight(weight: unknown): weight is number {
  return typeof weight === "number" && weight >= 0
}
