import { MAX_INPUT_LENGTH } from "../dialects/speech/request.ts"
import type { Strategy, ModelSettings } from "../config/settings.ts"
import type { Deployment, Member, Model, StageStrategy, PreferenceReason, Allows } from "./model.ts"

/** The description of a combined model. */
type Head = Pick<Model, "id" | "kind" | "created" | "ownedBy" | "requestedAs" | "disconnect">

/** A member of a group with its share of the requests. */
interface Share {
  readonly model: Model
  readonly weight: number
}

/**
 * Combines models in sequence. All deployments of a model are tried, in the model's order, before the deployments of
 * the next model. A deployment that two models share belongs to the first.
 * @param reason the reason for the first model's position.
 */
export function combineInOrder(
  head: Head,
  models: readonly Model[],
  reason: PreferenceReason | undefined,
): Model {
  let place = 0
  const deployments = models.flatMap((model) => {
    const first = place
    const { strategy = "weight" } = model
    const isSingle = model.deployments.length === 1
    const own = { place: first, strategy, ...(isSingle && reason && { reason }) }
    const member = asMember(model)
    return model.deployments.map((deployment): Deployment => {
      const { stage } = deployment
      const taken = stage === undefined ? own : { ...stage, place: first + stage.place }
      place = Math.max(place, taken.place + 1)
      return { ...deployment, member: deployment.member ?? member, stage: taken }
    })
  })
  return severalModels(head, models, deployments)
}

/** Combines models as equals, with one order for all deployments. */
function combineEqually(head: Head, shares: readonly Share[], strategy: StageStrategy): Model {
  const stage = { place: 0, strategy }
  const deployments = shares.flatMap(({ model, weight }) => {
    const sum = model.deployments.reduce((total, one) => total + one.weight, 0)
    const factor = sum === 0 ? 0 : weight / sum
    const member = asMember(model)
    return model.deployments.map((deployment): Deployment => ({
      ...deployment,
      weight: deployment.weight * factor,
      member,
      stage,
    }))
  })
  const models = shares.map(({ model }) => model)
  return severalModels(head, models, deployments)
}

/** Restricts a model to the given deployments, whose limits then apply. */
export function withDeployments(model: Model, deployments: readonly Deployment[]): Model {
  const { members, context: _, maxOutput: __, ...rest } = model
  if (members === undefined) return { ...model, deployments }
  const left = membersOf(deployments)
  return { ...rest, deployments, members: left, ...limitsOf(left) }
}

function severalModels(
  head: Head,
  models: readonly Model[],
  deployments: readonly Deployment[],
): Model {
  const first = new Map<string, Deployment>()
  for (const deployment of deployments) {
    if (!first.has(deployment.id)) first.set(deployment.id, deployment)
  }
  const { id, kind, created, ownedBy, requestedAs, disconnect } = head
  const known = [...first.values()]
  const members = membersOf(known)
  const isLimited = models.some(({ maxInput }) => maxInput !== undefined)
  return {
    id,
    kind,
    created,
    ownedBy,
    ...(requestedAs !== undefined && { requestedAs }),
    ...(disconnect !== undefined && { disconnect }),
    // Each member has to accept the whole text.
    ...(isLimited && {
      maxInput: Math.min(...models.map(({ maxInput = MAX_INPUT_LENGTH }) => maxInput)),
    }),
    deployments: known,
    members,
    ...limitsOf(members),
  }
}

function asMember({ id, requestedAs = id, context, maxOutput }: Model): Member {
  return {
    id,
    name: requestedAs,
    ...(context !== undefined && { context }),
    ...(maxOutput !== undefined && { maxOutput }),
  }
}

function membersOf(deployments: readonly Deployment[]): readonly Member[] {
  const members = new Map<string, Member>()
  for (const { member } of deployments) {
    if (member !== undefined && !members.has(member.id)) members.set(member.id, member)
  }
  return [...members.values()]
}

/**
 * Returns the highest limits of all members, since any of them may be called; absent if a member's limit is unknown.
 */
function limitsOf(members: readonly Member[]): Pick<Model, "context" | "maxOutput"> {
  const context = largest(members.map((member) => member.context))
  const maxOutput = largest(members.map(longestOf))
  return {
    ...(context !== undefined && { context }),
    ...(maxOutput !== undefined && { maxOutput }),
  }
}

/** Returns the maximum tokens of one response of a model, if known. */
export function longestOf({
  maxOutput,
  context,
}: Pick<Model, "maxOutput" | "context">): number | undefined {
  return maxOutput ?? context
}

function largest(numbers: readonly (number | undefined)[]): number | undefined {
  const known = numbers.filter((number) => number !== undefined)
  return known.length === 0 || known.length < numbers.length ? undefined : Math.max(...known)
}

interface GroupSources {
  /** Existing models by id. */
  readonly models: ReadonlyMap<string, Model>
  /** The default rule for choosing a deployment in groups. */
  readonly strategy: Strategy
  /** Unix seconds. */
  readonly created: number
}

interface BuiltGroup {
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
