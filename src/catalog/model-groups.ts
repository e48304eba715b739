import type { Choice, ModelSettings } from "../config/settings.ts"
import type { Model } from "./model.ts"
import type { Allows } from "./model-rights.ts"
import { inTurn, type Share, sideBySide } from "./several-models.ts"

/** What groups are made from. */
export interface GroupSources {
  /** The models that there are, by id. */
  readonly models: ReadonlyMap<string, Model>
  /** For groups without a choice of their own. */
  readonly choice: Choice
  /** Unix seconds. */
  readonly created: number
}

export interface BuiltGroup {
  /** Absent where none of its members exists. */
  readonly group?: ModelGroup
  readonly warnings: readonly string[]
}

/** A model of the settings that consists of others, any of which may answer. */
export class ModelGroup {
  /** With all of its members. */
  readonly model: Model
  readonly #shares: readonly Share[]
  readonly #joined: (shares: readonly Share[]) => Model

  constructor(shares: readonly Share[], joined: (shares: readonly Share[]) => Model) {
    this.#shares = shares
    this.#joined = joined
    this.model = joined(shares)
  }

  /**
   * As much of it as a key may call: all where its list names the group, else the members that it names.
   * @returns undefined where that is nothing.
   */
  permitted(allows: Allows): Model | undefined {
    if (allows === undefined || allows(this.model.id)) return this.model
    const own = this.#shares.filter(({ model }) => allows(model.id))
    return own.length === 0 ? undefined : this.#joined(own)
  }
}

/** Builds the group of an id, of those members that there are. */
export function buildGroup(
  id: string,
  { members = [], choice, ownedBy, disconnect }: ModelSettings,
  sources: GroupSources,
): BuiltGroup {
  const warnings: string[] = []
  const shares: Share[] = []
  for (const { model: name, weight } of members) {
    const model = sources.models.get(name)
    const [first] = shares
    if (model === undefined) {
      warnings.push(`model ${id}: there is no model '${name}', so the group goes without it`)
    } else if (first !== undefined && first.model.kind !== model.kind) {
      const kinds = `'${name}' is of kind ${model.kind} and '${first.model.id}' of kind ${first.model.kind}`
      warnings.push(`model ${id}: ${kinds}, so the group goes without '${name}'`)
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
  const chosen = choice ?? sources.choice
  const joined = (own: readonly Share[]): Model =>
    chosen === "order"
      ? inTurn(
          head,
          own.map(({ model }) => model),
          undefined,
        )
      : sideBySide(head, own, chosen)
  return { group: new ModelGroup(shares, joined), warnings }
}
