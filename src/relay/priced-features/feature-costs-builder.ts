import { NAME_OF_CLASS } from "#contract/usage-classes.ts"
import { GatewayError } from "../../canon/errors.ts"
import { type JsonObject, shown, isJsonObject } from "../../canon/json.ts"
import type { ChatRequest } from "../../canon/chat.ts"
import type { ClientDialect } from "../../canon/dialect.ts"
import type { Catalog } from "../../catalog/catalog.ts"
import type { Deployment, Model } from "../../catalog/model.ts"
import type { ChatCall } from "../request/call.ts"
import type { ProviderClient } from "../request/provider-client.ts"
import { serviceRate } from "../../ledger/price.ts"
import { modeOf } from "../../ledger/price-modes.ts"
import {
  ASSUMED_CALLS_FACTOR,
  type CallCharge,
  MAX_CALLS,
  type ModeCharge,
  type ModelCharge,
  type TokensCharge,
} from "../../vendors/priced-features/switch.ts"
import { type CallLimits, limitOf, memberAt } from "./call-limits.ts"
import type { DefaultModes } from "./default-modes.ts"
import { isSet, type SetSwitch, valuesAt } from "./find-switches.ts"
import type { RequestedMode, SecondModel, FeatureCosts, ToolTurns } from "./feature-costs.ts"

/** A request whose priced features have not been found yet. */
export interface PricedFeaturesInput {
  readonly call: ChatCall
  readonly dialect: ClientDialect
  readonly request: ChatRequest
  readonly model: Model
  readonly catalog: Catalog
  readonly clients: ReadonlyMap<string, ProviderClient>
  readonly defaultModes: DefaultModes
  /** Whether unpriced features are passed on. */
  readonly passes: boolean
  /**
   * Maximum number of calls that is assumed for a tool with a limit field at the vendor. Defaults to the number in the
   * table.
   */
  readonly assumedCalls?: number
}

/** The maximum number of calls, and whether the gateway chose it. */
interface AllowedUses {
  readonly max: number
  readonly isAssumed: boolean
}

/** Adds up the possible costs of a request at one deployment, switch by switch. */
export class FeatureCostsBuilder {
  readonly #input: PricedFeaturesInput
  readonly #deployment: Deployment
  readonly #limits: CallLimits
  readonly #price: NonNullable<Deployment["price"]>
  readonly #calls = new Map<CallCharge, { max: number; units: number; isAssumed: boolean }>()
  readonly #modes: RequestedMode[] = []
  readonly #models: SecondModel[] = []
  readonly #unpriced: string[] = []
  #adds = 0
  #turns: ToolTurns = { held: 0, max: 0, result: 0 }
  #outputs = 1
  #rounds = 1

  constructor(
    input: PricedFeaturesInput,
    deployment: Deployment,
    price: NonNullable<Deployment["price"]>,
    limits: CallLimits,
  ) {
    this.#input = input
    this.#deployment = deployment
    this.#limits = limits
    this.#price = price
  }

  build(): FeatureCosts {
    const calls = [...this.#calls].map(([charge, allowed]) => ({ charge, ...allowed }))
    return {
      deployment: this.#deployment,
      price: this.#price,
      calls,
      assumedCalls: this.#limits.assumed,
      assumedUses: this.#input.assumedCalls,
      modes: this.#modes,
      models: this.#models,
      adds: this.#adds,
      turns: this.#limitedTurns(),
      outputs: this.#outputs,
      rounds: this.#rounds,
      unpriced: this.#unpriced,
    }
  }

  add(setSwitch: SetSwitch): void {
    const { charge } = setSwitch
    switch (charge.by) {
      case "tokens":
        return this.#addTokens(charge, setSwitch)
      case "calls":
        return this.#addCalls(setSwitch, charge)
      case "mode":
        return this.#addMode(setSwitch, charge)
      case "model":
        return this.#addModel(setSwitch, charge)
      case "outputs":
        this.#outputs *= limitOf(setSwitch.value) ?? 1
        return
      case "again":
        this.#rounds = 2
        return
      case "unknown":
        return this.#leave(setSwitch, `${charge.why}.`)
    }
  }

  #addTokens(
    { adds = 0, calls, limit, resultLimit = "", free }: TokensCharge,
    setSwitch: SetSwitch,
  ): void {
    const { tool = {} } = setSwitch
    const server = free && memberAt(tool, free.path)
    if (isSet(server) && !free?.values.some((value) => value === server)) {
      const place = `${setSwitch.place.replace(/type$/, "")}${free?.path}`
      this.#leave({ place, value: server, charge: setSwitch.charge }, billedServer(free?.values))
    }
    if (calls === undefined) {
      this.#adds += adds
      return
    }
    const uses = limit === undefined ? undefined : this.#allowedBy({ max: calls, limit }, tool)
    this.#addTurns(
      uses ?? { max: calls, isAssumed: true },
      limitOf(memberAt(tool, resultLimit)) ?? adds,
    )
  }

  /** Adds turns, because the model reads the whole input again after each call. */
  #addTurns({ max, isAssumed }: AllowedUses, result: number): void {
    const { held, max: most, result: longest } = this.#turns
    this.#turns = {
      held: held + max,
      max: most + (isAssumed ? max * ASSUMED_CALLS_FACTOR : max),
      result: Math.max(longest, result),
    }
  }

  /** Returns the turns. A limit on the calls to all tools together also limits the turns. */
  #limitedTurns(): ToolTurns {
    const { max, assumed } = this.#limits
    const { held, max: most, result } = this.#turns
    return {
      held: Math.min(held, max ?? assumed ?? Infinity),
      max: Math.min(most, max ?? Infinity),
      result,
    }
  }

  #addCalls(setSwitch: SetSwitch, charge: CallCharge): void {
    if (serviceRate(this.#price, charge.class) === undefined) {
      const name = nameOf(charge.class)
      this.#leave(setSwitch, `no price is set for it. The operator can set one: \`${name}\``)
    }
    const { tool = {}, holder = tool } = setSwitch
    // A session can serve any number of calls.
    const isSession = charge.lasts !== undefined
    const allowed = isSession
      ? { max: Math.min(charge.max, this.#limits.max ?? charge.max), isAssumed: true }
      : raisedUses(this.#allowedBy(charge, tool), charge, holder)
    const max = allowed.max * this.#input.request.choices
    const known = this.#calls.get(charge)
    this.#addTurns(isSession ? { max: MAX_CALLS, isAssumed: true } : allowed, charge.adds ?? 0)
    this.#calls.set(charge, {
      max: max + (known?.max ?? 0),
      units: Math.max(unitsOf(charge, holder), known?.units ?? 1),
      isAssumed: allowed.isAssumed || known?.isAssumed === true,
    })
  }

  /**
   * Returns the maximum number of calls to a tool: the caller's limit for the tool or for all tools, or else the
   * gateway's assumption.
   */
  #allowedBy(charge: Pick<ModelCharge, "max" | "limit">, tool: JsonObject): AllowedUses {
    const own = charge.limit === undefined ? undefined : limitOf(memberAt(tool, charge.limit))
    const { max: total, assumed } = this.#limits
    if (own === undefined && total === undefined) {
      const uses = charge.limit === undefined ? Infinity : (this.#input.assumedCalls ?? Infinity)
      return { max: assumed ?? Math.min(charge.max ?? 1, uses), isAssumed: true }
    }
    return { max: Math.min(own ?? Infinity, total ?? Infinity), isAssumed: false }
  }

  #addMode(setSwitch: SetSwitch, charge: ModeCharge): void {
    const { mode } = charge
    const isPossible = charge.isPossible === true
    const priced = modeOf(this.#price, mode)
    if (priced === undefined && !isPossible) {
      this.#leave(setSwitch, `no price is set for it. The operator can set one: \`modes.${mode}\``)
    }
    const { field } = setSwitch
    // A mode that is requested in several places is counted once.
    const isNew = this.#modes.every(({ name }) => name !== mode)
    if (!field || !isNew) return
    // If several modes are possible in a field, the response reports one of them. The hold is based on the most
    // expensive one.
    const [place] = field.served ?? []
    const other = this.#modes.findIndex((one) => one.isPossible && one.field.served?.[0] === place)
    if (!isPossible || other === -1) this.#modes.push({ name: mode, field, priced, isPossible })
    else if ((priced?.factor ?? 0n) > (this.#modes[other]?.priced?.factor ?? 0n)) {
      this.#modes[other] = { name: mode, field, priced, isPossible }
    }
  }

  #addModel(setSwitch: SetSwitch, charge: ModelCharge): void {
    const named = nameIn(setSwitch, charge)
    const name = named ?? charge.usual
    if (name === undefined) return this.#leave(setSwitch, "it names no model.")
    const { catalog, call } = this.#input
    const isOwn = name === this.#deployment.upstreamModel
    if (isOwn && charge.outputTokens === undefined) return
    const id = catalog.idOf(this.#deployment.provider, name)
    const found = id === undefined ? undefined : catalog.find(id)
    const priced = found && catalog.priced(found, call.key)
    const price = priced?.deployments.find(({ upstreamModel }) => upstreamModel === name)?.price
    const place = named === undefined ? setSwitch.place : placeOf(setSwitch, charge)
    if (id === undefined || price === undefined || this.#isFree(price)) {
      return this.#leave(
        { ...setSwitch, place, value: name },
        "this provider has no model of that name with a price.",
      )
    }
    // The key must be allowed to call every model that may respond to the request.
    if (!isOwn && call.key.allows?.(id) === false) {
      throw new GatewayError(
        "model_not_allowed",
        `\`${place}\` names the model \`${id}\`, which this key may not call. GET /v1/models lists those it may.`,
        { parameter: place },
      )
    }
    const { tool } = setSwitch
    const allowed =
      tool === undefined
        ? { max: charge.max ?? 1, isAssumed: false }
        : this.#allowedBy(charge, tool)
    const { outputLimit = "", outputTokens } = charge
    const output = limitOf(tool?.[outputLimit]) ?? outputTokens
    if (tool !== undefined) this.#addTurns(allowed, Math.max(charge.adds ?? 0, output ?? 0))
    const maxOutput = found?.maxOutput
    this.#models.push({ charge, id, name, price, output, maxOutput, ...allowed })
  }

  /**
   * Whether the requested model is free, but the second model is not. A receipt has only one multiplier. If it is zero,
   * the price of the second model could not be charged.
   */
  #isFree(price: NonNullable<Deployment["price"]>): boolean {
    return this.#price.multiplier === 0n && price.multiplier !== 0n
  }

  #leave(setSwitch: SetSwitch, why: string): void {
    if (!this.#input.passes) throw notPriced(setSwitch, why, this.#deployment.provider)
    this.#unpriced.push(setSwitch.place)
  }
}

/** Returns the error for a feature that is billed in addition to tokens and has no price. */
export function notPriced(
  { place, value }: SetSwitch,
  why: string,
  provider: string,
): GatewayError {
  const shown = typeof value === "string" ? ` asks for \`${value.slice(0, 64)}\`, which` : ""
  const reason = why.endsWith("`")
    ? `${why} under 'prices' of the provider '${provider}' in the settings.`
    : why
  return new GatewayError(
    "feature_not_priced",
    `\`${place}\`${shown} cannot be priced: ${reason} Leave it out, or choose another model.`,
    { parameter: place },
  )
}

/**
 * Returns the allowed calls, or the number in one of the `raisedBy` fields if it is larger. Some servers ignore these
 * fields, so the fields can only raise the number that a hold covers.
 */
function raisedUses(
  allowed: AllowedUses,
  { raisedBy = [] }: CallCharge,
  holder: JsonObject,
): AllowedUses {
  const numbers = raisedBy.map((path) => limitOf(memberAt(holder, path)) ?? 0)
  const max = Math.max(0, ...numbers)
  return max > allowed.max ? { max, isAssumed: true } : allowed
}

function billedServer(free: readonly string[] = []): string {
  return `each of its calls is billed, and no usage reports them. Write ${free.join(" or ")}.`
}

function nameOf(usageClass: CallCharge["class"]): string {
  return NAME_OF_CLASS[usageClass]
}
/** Returns the number of units of a call with the requested size; for an unknown size, the largest number. */
function unitsOf({ sizes, results }: CallCharge, tool: JsonObject): number {
  if (results !== undefined) {
    const asked = results.paths
      .flatMap((path) => valuesAt(tool, path))
      .filter(({ value }) => value !== null)
      .map(({ value }) => limitOf(value) ?? results.max)
    return Math.max(1, Math.ceil(Math.max(0, ...asked) / results.each))
  }
  if (sizes === undefined) return 1
  const [found] = valuesAt(tool, sizes.path)
  if (found?.value === undefined || found.value === null) return 1
  const known = Object.hasOwn(sizes.units, shown(found.value))
    ? sizes.units[shown(found.value)]
    : undefined
  return known ?? Math.max(...Object.values(sizes.units))
}

function nameIn({ value, tool }: SetSwitch, charge: ModelCharge): string | undefined {
  const holder = tool ?? value
  const named = charge.name !== undefined && isJsonObject(holder) ? holder[charge.name] : value
  if (tool !== undefined && named === value) return undefined
  return typeof named === "string" ? named : undefined
}

function placeOf({ place, tool, value }: SetSwitch, { name }: ModelCharge): string {
  if (name === undefined || typeof value === "string") {
    return tool === undefined || name === undefined ? place : place.replace(/type$/, name)
  }
  return `${place}.${name}`
}
