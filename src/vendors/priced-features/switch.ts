import type { UsageClass } from "#contract/usage-classes.ts"

/**
 * How the units of a class are counted in an answer. If one way finds no units, the next is tried.
 * - `usage`: numbers at these paths of the whole answer, added up.
 * - `items`: actions of the vendor for the request, counted one by one: items of an output, blocks of a server's
 * tools, executed tools. `each` names the member by which several count as one, `asOne` counts all as one, and `done`
 * names the kinds of action that count, if not all do. With `unlessReported` they count only if the answer ended
 * early, or reports no number: not all of them are billed.
 * - `answer`: every answer counts as one; with `untilEnd` only one that ended before it could report a number.
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

/** Calls that have a price each, of a tool or of the request itself. */
export interface CallCharge {
  readonly by: "calls"
  readonly class: UsageClass
  /** Held units for requests without a number. */
  readonly max: number
  /** The field of the tool that limits its calls. */
  readonly limit?: string
  readonly counted: readonly Counted[]
  /** Tokens that a call may add to the input, which the model then reads again as a whole. */
  readonly adds?: number
  /** Seconds per unit: longer requests use several. */
  readonly lasts?: number
  /** The field of the tool with the size of a unit, and how many units each size counts as. */
  readonly sizes?: {
    readonly path: string
    readonly units: Readonly<Record<string, number>>
  }
  /** Set if a call is billed by its results: the fields with their maximum number, and the results per unit. */
  readonly results?: {
    readonly paths: readonly string[]
    readonly each: number
    /** Maximum results of any call. */
    readonly max: number
  }
}

/** A factor on the rates of tokens, when the request is served so. */
export interface ModeCharge {
  readonly by: "mode"
  readonly mode: string
  /** The vendor decides whether: it need not have a price, and is held for where it has one. */
  readonly isPossible?: true
}

/** Another model that may also be called, by its name at the same vendor. */
export interface ModelCharge {
  readonly by: "model"
  /**
   * `instead`: it answers in place of the request's own; `after`: when that has failed, which is billed too;
   * `beside`: it is called while that answers.
   */
  readonly how: "instead" | "after" | "beside"
  /** The field of the tool with its name; absent: the value itself is the name. */
  readonly name?: string
  /** Assumed calls for requests without a number. */
  readonly max?: number
  readonly limit?: string
  /** As for calls: tokens that the request's own model then reads. */
  readonly adds?: number
  /** The default if the request names no value. */
  readonly usual?: string
  /** Maximum tokens of output in each call, if the request's own limit does not apply to them. */
  readonly outputTokens?: number
  /** The field of the tool that limits them. */
  readonly outputLimit?: string
  /** The field of the answer with its usage, if reported separately: it reads only its own prompt. */
  readonly usage?: string
}

/** Billed as tokens only, which are in the usage. */
export interface TokensCharge {
  readonly by: "tokens"
  /** As for calls; without `calls`, the tokens that the vendor adds to the prompt once. */
  readonly adds?: number
  /** Calls of a tool that the server runs, if the request does not limit them. */
  readonly calls?: number
  /** The field of the tool that limits its calls. */
  readonly limit?: string
  /** The field of the tool that limits the tokens of each call. */
  readonly resultLimit?: string
}

/** The cost of a set switch. */
export type Charge =
  | TokensCharge
  | CallCharge
  | ModeCharge
  | ModelCharge
  /** The value is the number of outputs for each choice. */
  | { readonly by: "outputs" }
  /** The model may be called once more with the entire conversation. */
  | { readonly by: "again" }
  /** The vendor bills it by something that no answer reports, or that no class counts. */
  | { readonly by: "unknown"; readonly why: string }

/** A request field that changes the price. */
export interface FieldSwitch {
  /** `service_tier`, `provider.order`, `models[]`: every element of a list by itself. */
  readonly path: string
  /** The deciding member, if the value is an object. */
  readonly member?: string
  /** By the value, if it is a string; the names are in lowercase. */
  readonly values?: Readonly<Record<string, Charge>>
  /** For every other value but null and false. */
  readonly otherwise: Charge
  /** The field of the answer with the mode that it was served in; the first that exists counts. */
  readonly served?: readonly string[]
}

/** The switches of one dialect at one vendor. */
export interface Switches {
  readonly fields: readonly FieldSwitch[]
  /** The field that limits the calls of all tools together, if the vendor is known to enforce it. */
  readonly maxCalls?: string
  /**
   * By the type of a tool, without the date at its end. An unlisted type counts as unpriced. In Gemini's
   * dialect, where tools have no type, by the member that a tool is.
   */
  readonly tools: Readonly<Record<string, Charge>>
}

/** Billed as tokens and nothing else. */
export const TOKENS: Charge = { by: "tokens" }

/** As many results as a server's tool may add, when the model calls it as often as is assumed. */
export const RESULT_TOKENS = 8_000
/** Assumed calls of a server's tool for requests without a limit. */
export const MAX_CALLS = 10
/**
 * A number of calls that the caller did not set is an assumption: up to this multiple of it is charged. A number that
 * the caller set is the maximum.
 */
export const ASSUMED_CALLS_FACTOR = 10

/** Tools that the server runs in a loop. Only the tokens read by the model are charged. */
export const LOOPED: Charge = { by: "tokens", adds: RESULT_TOKENS, calls: MAX_CALLS }

/** A mode of service that the request asks for. */
export function mode(name: string): ModeCharge {
  return { by: "mode", mode: name }
}

/** A mode of service that the vendor may choose. */
export function possibleMode(name: string): ModeCharge {
  return { by: "mode", mode: name, isPossible: true }
}

/** Features that cannot be priced, and the reason. */
export function unknown(why: string): Charge {
  return { by: "unknown", why }
}

/** Searches with results that the model reads. */
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

/** Items of these names. */
export function items(...names: readonly string[]): Counted {
  return { in: "items", names }
}

/** Numbers at these paths of the answer. */
export function reported(...paths: readonly string[]): Counted {
  return { in: "usage", paths }
}
