import { ALIAS_PATTERN, MODEL_ID_PATTERN } from "../../config/aliases.ts"
import type { Differences } from "./plan.ts"
import type { ProviderModel } from "./providers.ts"

export interface Deployment extends ProviderModel {
  readonly weight?: number
  readonly price?: Readonly<Record<string, string>>
}

interface Group {
  readonly deployments: Deployment[]
  readonly facts: Record<string, unknown>
}

/** Builds models of another gateway, each under the name that its callers use. */
export class ModelBuilder {
  readonly #prefix: string
  readonly #differences: Differences
  readonly #groups = new Map<string, Group>()

  /**
   * @param prefix the provider part of model ids that cannot be derived from the model's name or its only deployment.
   */
  constructor(prefix: string, differences: Differences) {
    this.#prefix = prefix
    this.#differences = differences
  }

  add(name: string, deployment: Deployment, facts: Readonly<Record<string, unknown>> = {}): void {
    const group = this.#groups.get(name) ?? { deployments: [], facts: {} }
    this.#groups.set(name, group)
    group.deployments.push(deployment)
    Object.assign(group.facts, facts)
  }

  /** Appends the deployments of each model's fallback models. */
  fallBack(wanted: readonly (readonly [name: string, others: readonly string[]])[]): void {
    const own = new Map(
      [...this.#groups].map(([name, { deployments }]) => [name, [...deployments]] as const),
    )
    for (const [name, others] of wanted) {
      const group = this.#groups.get(name)
      const present = others.filter((other) => group && other !== name && own.has(other))
      const missing = group ? others.filter((other) => !own.has(other)) : [name]
      for (const other of missing)
        this.#differences.leftOut(`fallback of ${name}`, `the model '${other}' is not carried over`)
      if (!group || present.length === 0) continue
      const later = present.flatMap((other) => own.get(other) ?? [])
      group.deployments.push(...later.map((deployment) => ({ ...deployment, weight: 0 })))
      this.#differences.carried(`model ${name}`, `falls back to ${present.join(", ")}`)
    }
  }

  /**
   * Returns the built models.
   * @param aliases additional names, with the names of their models.
   */
  finish(aliases: readonly (readonly [alias: string, name: string])[] = []) {
    const models: Record<string, unknown> = {}
    const ids = new Map<string, string>()
    for (const [name, group] of this.#groups) {
      const id = this.#idOf(name, group, models)
      models[id] = { ...group.facts, deployments: weighted(group.deployments) }
      ids.set(name, id)
      const places = group.deployments.map(({ provider, model }) => `${provider}/${model}`)
      this.#differences.carried(`model ${name}`, `as ${id}: ${places.join(", ")}`)
    }
    for (const [alias, name] of aliases) {
      const id = ids.get(name)
      if (id === undefined)
        this.#differences.leftOut(`alias ${alias}`, `the model '${name}' is not carried over`)
      else if (!ids.has(alias)) ids.set(alias, id)
    }
    const written = [...ids].filter(([name, id]) => name !== id && this.#isAlias(name, id))
    return {
      models,
      ...(written.length > 0 && { aliases: Object.fromEntries(written) }),
      ids,
    }
  }

  #isAlias(name: string, id: string): boolean {
    const isAlias = ALIAS_PATTERN.test(name) && !name.includes("${") && name !== "__proto__"
    if (!isAlias) this.#differences.changed(`model ${name}`, `callers have to name it ${id}`)
    return isAlias
  }

  /**
   * Returns the model's name if it is a valid id; otherwise the name of its only deployment, unless another model has
   * this name. Otherwise returns a new id with the prefix.
   */
  #idOf(name: string, { deployments }: Group, taken: Readonly<Record<string, unknown>>): string {
    const [only, second] = deployments
    const candidates = [
      ...(MODEL_ID_PATTERN.test(name) ? [name] : []),
      ...(only && !second ? [`${only.provider}/${only.model}`] : []),
    ]
    const free = candidates.find(
      (id) => !Object.hasOwn(taken, id) && (id === name || !this.#groups.has(id)),
    )
    if (free !== undefined) return free
    const base = `${this.#prefix}/${name.replaceAll(/[\s\p{C}]+/gu, "-") || "unnamed"}`
    for (let number = 1; ; number++) {
      const id = number === 1 ? base : `${base}-${number}`
      if (!Object.hasOwn(taken, id)) return id
    }
  }
}

/**
 * Omits weights of 1, which is the default. If no deployment has a weight above zero, the first deployment gets the
 * default.
 */
function weighted(deployments: readonly Deployment[]): Deployment[] {
  const hasFirst = deployments.some(({ weight = 1 }) => weight > 0)
  return deployments.map(({ weight = 1, ...deployment }, index) => {
    const isDefault = weight === 1 || (!hasFirst && index === 0)
    return isDefault ? deployment : { ...deployment, weight }
  })
}
