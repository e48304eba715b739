import type { UsageClass } from "#contract/usage-classes.ts"

/**
 * How the units of a class are counted in a response. If one way finds no units, the next way is tried.
 * - `usage`: adds up the numbers at these paths of the whole response.
 * - `items`: counts actions of the vendor for the request one by one: items of an output, blocks of tools that the
 * server ran, executed tools. `each` is a member, and actions with the same value of it count as one. With `asOne`, all
 * actions count as one. `done` lists the kinds of actions that count, if some kinds do not. With `unlessReported`, the
 * actions only count if the response ended early or reports no number, because some of them are not billed.
 * - `answer`: counts every response as one. With `untilEnd`, a response only counts if it ended before it could report
 * a
 *   number.
 */
export type Counted =
  | { readonly in: "usage"; readonly paths: readonly string[] }
  | {
      readonly in: "items"
      readonly names: readonly string[]
      readonly each?: string
      readonly asOne?: true
      readonly done?: readonly string[]
      readonly unlessReported?: true
    }
  | { readonly in: "answer"; readonly untilEnd?: true }

/** A charge for each call to a tool, or for each request. */
export interface CallCharge {
  readonly by: "calls"
  readonly class: UsageClass
  /** Number of units that a hold covers if the request sets no number. */
  readonly max: number
  /** The field of the tool that limits the number of calls. */
  readonly limit?: string
  /**
   * Fields that limit the number of calls, but that some servers ignore. They can raise the number that a hold covers,
   * but never lower it.
   */
  readonly raisedBy?: readonly string[]
  readonly counted: readonly Counted[]
  /**
   * The class of another tool whose calls are in the same list. If the request has both tools, each call counts once.
   * It counts for the other tool unless it is known to belong to this one.
   */
  readonly listedWith?: UsageClass
  /**
   * The charge that applies instead if this field is true. The field is in the tool, or in the request if the switch is
   * a field.
   */
  readonly insteadIf?: { readonly path: string; readonly charge: CallCharge }
  /** Tokens that a call may add to the input. The model then reads the whole input again. */
  readonly adds?: number
  /** Seconds per unit, for calls that are billed by time. */
  readonly lasts?: number
  /** The field of the tool that selects the size of a call, and the number of units for each size. */
  readonly sizes?: {
    readonly path: string
    readonly units: Readonly<Record<string, number>>
  }
  /**
   * Set if a call is billed by its results: the fields with the maximum number of results, and the number of results
   * per unit.
   */
  readonly results?: {
    readonly paths: readonly string[]
    readonly each: number
    /** Maximum number of results of any call. */
    readonly max: number
  }
}

/** A factor on the rates of tokens, if the request is served in a service mode. */
export interface ModeCharge {
  readonly by: "mode"
  readonly mode: string
  /**
   * Set if the vendor decides whether the mode applies. The mode need not have a price. If it has one, the hold covers
   * it.
   */
  readonly isPossible?: true
}

/** Another model that may also be called, under its name at the same vendor. */
export interface ModelCharge {
  readonly by: "model"
  /**
   * `instead`: the model answers in place of the requested model. `after`: it answers after the requested model has
   * failed, which is billed too. `alongside`: it is called while the requested model answers.
   */
  readonly how: "instead" | "after" | "alongside"
  /** The field that contains the model's name; absent if the value of the switch is the name itself. */
  readonly name?: string
  /** Set if responses of the model `X-fast` may name `X`, so that the more expensive of the two is charged. */
  readonly isFastUnnamed?: true
  /** Number of calls that is assumed for requests without a number. */
  readonly max?: number
  readonly limit?: string
  /** Tokens that a call may add to the input of the requested model. */
  readonly adds?: number
  /** The model that is used if the request does not name a model. */
  readonly usual?: string
  /** Maximum output tokens of each call, if the request's own limit does not apply to them. */
  readonly outputTokens?: number
  /** The field of the tool that limits the output tokens. */
  readonly outputLimit?: string
  /**
   * The field of the response that contains the usage of the model, if it is reported separately. The model then reads
   * only its own prompt.
   */
  readonly usage?: string
}

/** A feature that is billed only as tokens, which the usage includes. */
export interface TokensCharge {
  readonly by: "tokens"
  /** Tokens that a call may add to the input; without `calls`, the tokens that the vendor adds to the prompt once. */
  readonly adds?: number
  /** Number of calls to a tool that the server runs, if the request does not limit them. */
  readonly calls?: number
  /** The path of the field of the tool that limits the number of calls. */
  readonly limit?: string
  /** The path of the field of the tool that limits the tokens of each call. */
  readonly resultLimit?: string
  /**
   * The field of the tool that selects a server, and the servers that are free. If the field is absent, the first of
   * these is sent.
   */
  readonly free?: { readonly path: string; readonly values: readonly [string, ...string[]] }
}

/** How a switch affects the bill if it is set. */
export type Charge =
  | TokensCharge
  | CallCharge
  | ModeCharge
  | ModelCharge
  /** The value of the field is the number of outputs for each choice. */
  | { readonly by: "outputs" }
  /** The model may be called again with the entire conversation. */
  | { readonly by: "again" }
  /** The vendor bills the feature by a quantity that no response reports, or that no usage class covers. */
  | { readonly by: "unknown"; readonly why: string }

/** A request field that changes the price. */
export interface FieldSwitch {
  /**
   * The path of the field, such as `service_tier`, `provider.order` or `models[]`. A path with `[]` applies to each
   * element of the list.
   */
  readonly path: string
  /** The member that determines the charge, if the value is an object. */
  readonly member?: string
  /** The charge for each string value. The names are in lowercase. */
  readonly values?: Readonly<Record<string, Charge>>
  /** The charge for all other values except null and false. */
  readonly otherwise: Charge
  /** The fields of the response that may report the service mode. The first field that exists is used. */
  readonly served?: readonly string[]
}

/** The switches of one dialect at one vendor. */
export interface Switches {
  readonly fields: readonly FieldSwitch[]
  /** The field that limits the calls to all tools together, if the vendor is known to enforce it. */
  readonly maxCalls?: string
  /**
   * The charge for each type of tool, without the date at the end of the type. A type that is not listed has no price.
   * Tools in Gemini's dialect have no type, so the key is the member that defines the tool.
   */
  readonly tools: Readonly<Record<string, Charge>>
  /**
   * Paths of further fields without a separate price, although their names suggest an effect on the bill. A path that
   * ends in `.**` includes all members.
   */
  readonly known?: readonly string[]
  /** Paths of objects in which all members that are not in this table are rejected, regardless of their names. */
  readonly closed?: readonly string[]
  /** Whether the server may apply its own instructions, so that only documented top-level fields are sent. */
  readonly isRouter?: true
  /** The charge for files in a conversation, which models may search with a tool that is not in the request. */
  readonly files?: Charge
  /** Tools that cost only tokens if the request also has one of these tools, in this version or later. */
  readonly included?: Readonly<
    Record<string, { readonly beside: readonly string[]; readonly since: string }>
  >
  /** The only known members of `parameters` of tools that the vendor runs, by the type of the tool. */
  readonly parameters?: Readonly<Record<string, readonly string[]>>
  /** Objects with options at any depth below the top level, and the paths of their only known members. */
  readonly options?: Readonly<Record<string, readonly string[]>>
}

/** The charge of features that only cost tokens. */
export const TOKENS: Charge = { by: "tokens" }

/** Tokens of all results that a tool run by the server may add, at the assumed number of calls. */
export const RESULT_TOKENS = 8_000
/** Number of calls that is assumed for a tool run by the server, for requests without a limit. */
export const MAX_CALLS = 10
/**
 * Factor for an assumed number of calls. If the caller set no number, up to this multiple of the assumption is charged.
 * A number that the caller set is itself the maximum.
 */
export const ASSUMED_CALLS_FACTOR = 10

/** The charge for tools that the server runs in a loop. Only the tokens that the model reads are charged. */
export const LOOPED: Charge = { by: "tokens", adds: RESULT_TOKENS, calls: MAX_CALLS }

/** Returns the charge for a service mode that the request names. */
export function mode(name: string): ModeCharge {
  return { by: "mode", mode: name }
}

/** Returns the charge for a service mode that the vendor may choose. */
export function possibleMode(name: string): ModeCharge {
  return { by: "mode", mode: name, isPossible: true }
}

/**
 * Returns the charge for a feature that cannot be priced.
 * @param why the reason, worded as a clause.
 */
export function unknown(why: string): Charge {
  return { by: "unknown", why }
}

/** Returns the charge for searches whose results the model reads. */
export function searches(
  usageClass: UsageClass,
  counted: readonly Counted[],
  limit?: string,
): CallCharge {
  return {
    by: "calls",
    class: usageClass,
    max: MAX_CALLS,
    adds: RESULT_TOKENS,
    counted,
    ...(limit === undefined ? {} : { limit }),
  }
}

/** Counts an interrupted response, which cannot report its calls, as one call. */
export const INTERRUPTED: Counted = { in: "answer", untilEnd: true }

/** Counts items with these names. */
export function items(...names: readonly string[]): Counted {
  return { in: "items", names }
}

/** Counts the numbers at these paths of the response. */
export function reported(...paths: readonly string[]): Counted {
  return { in: "usage", paths }
}
