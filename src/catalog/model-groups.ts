import type { Strategy, ModelSettings } from "../config/settings.ts"
import type { Model } from "./model.ts"
import type { Allows } from "./model-rights.ts"
import { combineInOrder, type Share, combineEqually } from "./several-models.ts"

export interface GroupSources {
  /** Existing models by id. */
  readonly models: ReadonlyMap<string, Model>
  /** The default rule for choosing a deployment in groups. */
  readonly strategy: Strategy
  /** Unix seconds. */
  readonly created: number
}

export interface BuiltGroup {
  /** Absent if no member of the group exists. */
  readonly group?: ModelGroup
  readonly warnings: readonly string[]
}

/** A model in the settings that consists of several other models. Any of these may serve a request. */
export class ModelGroup {
  /** The group as a model, with all of its members. */
  readonly model: Model
  readonly #shares: readonly Share[]
  readonly #joined: (shares: readonly Share[]) => Model

  constructor(shares: readonly Share[], joined: (shares: readonly Share[]) => Model) {
    this.#shares = shares
    this.#joined = joined
    this.model = joined(shares)
  }

  /**
   * Returns the part of the group that a key may call: the whole group if the key's list contains it, otherwise the
   * listed members.
   * @returns undefined if the key may call no member.
   */
  permitted(allows: Allows): Model | undefined {
    if (allows === undefined || allows(this.model.id)) return this.model
    const own = this.#shares.filter(({ model }) => allows(model.id))
    return own.length === 0 ? undefined : this.#joined(own)
  }
}

/** Builds a group from its existing members. */
export function buildGroup(
  id: string,
  { members = [], strategy, ownedBy, disconnect }: ModelSettings,
  sources: GroupSources,
): BuiltGroup {
  const warnings: string[] = []
  const shares: Share[] = []
  for (const { model: name, weight } of members) {
    const model = sources.models.get(name)
    const [first] = shares
    if (model === undefined) {
      warnings.push(`model ${id}: there is no model '${name}', so it is left out of the group`)
    } else if (first !== undefined && first.model.kind !== model.kind) {
      const kinds = `'${name}' is of kind ${model.kind} and '${first.model.id}' of kind ${first.model.kind}`
      warnings.push(`model ${id}: ${kinds}, so '${name}' is left out of the group`)
    } else shares.push({ model, weight })
  }
  const [first] = shares
  if (first === undefined) return { warnings }
  const head = {
    id,
    kind: first.model.kind,
    created: sources.created,
    ownedBy: ownedBy ?? id.slice(0, id.indexOf("/")),
    ...(disconnect !== undefined && { disconnect }),
  }
  const chosen = strategy ?? sources.strategy
  const joined = (own: readonly Share[]): Model =>
    chosen === "order"
      ? combineInOrder(
          head,
          own.map(({ model }) => model),
          undefined,
        )
      : combineEqually(head, own, chosen)
  return { group: new ModelGroup(shares, joined), warnings }
}
