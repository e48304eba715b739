import type { DialectId } from "../../canon/extra.ts"
import { GatewayError } from "../../canon/errors.ts"
import { invalidValue } from "../../canon/invalid-request.ts"
import type { StateKind, StateReference } from "../../canon/vendor-state.ts"
import { credentialIdOf, type Model } from "../../catalog/model.ts"
import type { KeyHasher } from "../../keys/secret.ts"
import type { Store } from "../../store/store.ts"
import type { VendorStateRecord } from "../../store/vendor-state.ts"
import type { ProviderClient } from "../request/provider-client.ts"
import { factsOf, storedAtOtherVendor, unusableReference, notFound } from "./state-kinds.ts"

export const MAX_REFERENCES = 5_000
/** Maximum number of stored records, about 4 GB. The oldest are deleted first. */
const MAX_RECORDS = 20_000_000
const SWEEP_INTERVAL_MS = 600_000
/** Milliseconds between the steps of a sweep, so that requests take precedence. */
const SWEEP_PAUSE_MS = 20

/** The vendor state to which a request refers, after its owner is resolved. */
export interface ResolvedState {
  readonly references: readonly StateReference[]
  /** Tokens of the state that the vendor reads in addition to the request; undefined if unknown. */
  readonly tokens: number | undefined
  /** The model, with only the deployments that can find the state. */
  readonly model: Model
  /** Hashes of references that were passed on although their owner is unknown. */
  readonly unowned: ReadonlySet<string>
}

/** The account, references and model of a request. */
export interface StateQuery {
  readonly account: string
  readonly references: readonly StateReference[]
  readonly model: Model
  /** The caller's dialect. */
  readonly dialect: DialectId
  readonly clients: ReadonlyMap<string, ProviderClient>
  /** Whether references to content of unknown owners are passed on. */
  readonly passesUnknown: boolean
}

type StateStore = Pick<Store, "vendorState">

/** A reference to one object that a vendor stores. */
export interface StateName {
  readonly kind: StateKind
  readonly id: string
}

/** Records which account owns state that is stored at vendors. */
export class VendorState implements Disposable {
  readonly #store: StateStore
  readonly #hasher: KeyHasher
  readonly #failed: (error: unknown) => void
  readonly #timer: Timer

  /** @param failed called if old records could not be deleted. */
  constructor(store: StateStore, hasher: KeyHasher, failed: (error: unknown) => void) {
    this.#store = store
    this.#hasher = hasher
    this.#failed = failed
    this.#timer = setInterval(() => void this.#sweep(), SWEEP_INTERVAL_MS)
    this.#timer.unref()
  }

  hash(kind: StateKind, id: string): string {
    return this.#hasher.hash(`${kind}\0${id}`)
  }

  /**
   * Checks the references of a request before anything is held.
   * @returns undefined if no reference concerns a vendor of the model.
   * @throws GatewayError `not_found` for state of another account, `invalid_value` for state that the vendors of the
   * model cannot find, `ledger_unavailable`.
   */
  async resolve(input: StateQuery): Promise<ResolvedState | undefined> {
    const references = concerning(input)
    if (references.length === 0) return undefined
    const [first] = references
    if (first && references.length > MAX_REFERENCES) throw tooMany(first)
    const hashes = references.map(({ id, state }) => this.hash(state.kind, id))
    const known = await this.#find([...new Set(hashes)])
    const { account, model, passesUnknown } = input
    const search = new Search(account, known, passesUnknown, model)
    references.forEach((reference, index) => search.validate(reference, hashes[index] ?? ""))
    return {
      references,
      tokens: search.tokens,
      model: search.restricted(model),
      unowned: search.unowned,
    }
  }

  /** Returns the providers that store an object for an account. @throws GatewayError `ledger_unavailable`. */
  async storingProviders(account: string, { kind, id }: StateName): Promise<string[]> {
    const hash = this.hash(kind, id)
    const records = (await this.#find([hash])).get(hash) ?? []
    return records.filter((record) => record.account === account).map(({ provider }) => provider)
  }

  /**
   * Removes an account's ownership of objects, so that the account cannot continue from them.
   * @throws GatewayError `ledger_unavailable`.
   */
  async removeOwner(account: string, names: readonly StateName[]): Promise<void> {
    try {
      const hashes = names.map(({ kind, id }) => this.hash(kind, id))
      await this.#store.vendorState.removeOwner(account, hashes)
    } catch (cause) {
      throw new GatewayError(
        "ledger_unavailable",
        "The gateway cannot write its ledger just now. Try again shortly.",
        { cause },
      )
    }
  }

  async #find(hashes: readonly string[]): Promise<Map<string, VendorStateRecord[]>> {
    let records: readonly VendorStateRecord[]
    try {
      records = await this.#store.vendorState.find(hashes)
    } catch (cause) {
      throw new GatewayError(
        "ledger_unavailable",
        "The gateway cannot read its ledger now, so it cannot check the owner of an object in this request. Try again shortly.",
        { cause },
      )
    }
    const now = Date.now()
    return Map.groupBy(
      records.filter(({ expiresAt }) => expiresAt > now),
      ({ idHash }) => idHash,
    )
  }

  async #sweep(): Promise<void> {
    try {
      while ((await this.#store.vendorState.sweep(Date.now(), MAX_RECORDS)) > 0) {
        await Bun.sleep(SWEEP_PAUSE_MS)
      }
    } catch (error) {
      this.#failed(error)
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }
}

/**
 * Returns all references if a vendor of the model uses the caller's dialect, otherwise only the references that vendors
 * of all dialects accept.
 * @throws GatewayError `invalid_value` if the request depends on a reference that would be omitted.
 */
function concerning(input: StateQuery): readonly StateReference[] {
  const { references } = input
  if (understands(input)) return references
  const lost = references.find(({ state }) => state.isEssential)
  if (lost) throw unusableReference(lost)
  return references.filter(({ state }) => state.isShared)
}

/** Whether a vendor of the model uses the caller's dialect. */
export function understands({ model, dialect, clients }: StateQuery): boolean {
  return model.deployments.some((deployment) =>
    clients
      .get(deployment.provider)
      ?.bindings(deployment)
      .some((binding) => binding.dialect.id === dialect),
  )
}

/** Returns the error for a request with too many references. */
export function tooMany({ path }: StateReference): GatewayError {
  const message = `The request refers to more than ${MAX_REFERENCES} objects that a vendor stores, such as '${path}'. Send fewer.`
  return invalidValue(path, message)
}

/** Combines the results for several references. */
class Search {
  readonly unowned = new Set<string>()
  readonly #account: string
  readonly #known: ReadonlyMap<string, readonly VendorStateRecord[]>
  readonly #passesUnknown: boolean
  #isSizeUnknown = false
  #counted = 0
  /** Tokens of each response whose items are referenced. The output of the response contains all of its items. */
  readonly #responses = new Map<string, number>()
  /** The credentials with which all state found so far is stored; undefined until some state is found. */
  #credentials: ReadonlySet<string> | undefined
  #last: StateReference | undefined
  /** For each provider, the credential of state that was stored before the provider had several credentials. */
  readonly #first: ReadonlyMap<string, string>

  constructor(
    account: string,
    known: ReadonlyMap<string, readonly VendorStateRecord[]>,
    passesUnknown: boolean,
    { deployments }: Model,
  ) {
    this.#account = account
    this.#known = known
    this.#passesUnknown = passesUnknown
    const first = deployments.filter(({ credential }) => credential?.isFirst === true)
    this.#first = new Map(
      first.map((deployment) => [deployment.provider, credentialIdOf(deployment)]),
    )
  }

  get tokens(): number | undefined {
    if (this.#isSizeUnknown) return undefined
    return this.#responses.values().reduce((sum, tokens) => sum + tokens, this.#counted)
  }

  validate(reference: StateReference, hash: string): void {
    const records = this.#known.get(hash) ?? []
    const own = records.filter(({ account }) => account === this.#account)
    if (own.length === 0) {
      if (records.length > 0 || !this.#passesUnknown) throw notFound(reference)
      this.unowned.add(hash)
      if (!reference.state.isWeightless) this.#isSizeUnknown = true
      return
    }
    const credentials = new Set(own.map(({ provider }) => this.#first.get(provider) ?? provider))
    this.#credentials = this.#credentials?.intersection(credentials) ?? credentials
    this.#last = reference
    if (!reference.state.isWeightless) this.#weigh(reference, own)
  }

  /**
   * Returns the model with the deployments that store the state.
   * @throws GatewayError if no provider of the model stores all state that was found.
   */
  restricted(model: Model): Model {
    const credentials = this.#credentials
    if (credentials === undefined) return model
    const deployments = model.deployments.filter(
      (deployment) => deployment.price !== undefined && credentials.has(credentialIdOf(deployment)),
    )
    if (deployments.length === 0 && this.#last) throw storedAtOtherVendor(this.#last, model.id)
    return { ...model, deployments }
  }

  #weigh({ state }: StateReference, own: readonly VendorStateRecord[]): void {
    let max = 0
    for (const { tokens } of own) max = Math.max(max, tokens ?? Infinity)
    const isCounted = factsOf(state.kind).isCounted && max < Infinity
    const made = own[0]?.request ?? ""
    if (!isCounted) this.#isSizeUnknown = true
    else if (state.kind !== "item") this.#counted += max
    else this.#responses.set(made, Math.max(max, this.#responses.get(made) ?? 0))
  }
}
