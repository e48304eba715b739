/** The effects on the bill that the name of a field can suggest. */
export type Effect = "model" | "amount" | "mode" | "tool"

/**
 * Names that suggest an effect on the bill, without case and separators. They are compared with names of fields that
 * are in no table, so a match only means that the field needs a row.
 */
const RULES: readonly { readonly effect: Effect; readonly names: RegExp; readonly and?: RegExp }[] =
  [
    { effect: "model", names: /model|fallback|deployment|route|routing/ },
    { effect: "model", names: /apibase|baseurl|apikey|headers|customllmprovider/ },
    { effect: "amount", names: /max/, and: /token|length|output|think|reasoning|completion/ },
    { effect: "amount", names: /budget|tokenlimit|tokenslimit|maxnew|maxgen|numberof|bestof/ },
    { effect: "amount", names: /^n$|^ncmpl$|^npredict$|^num/ },
    {
      effect: "amount",
      names: /count/,
      and: /candidate|choice|completion|sample|image|output|answer/,
    },
    {
      effect: "mode",
      names: /tier|priority|speed|latency|geo|region|location|residency|requesttype/,
    },
    { effect: "mode", names: /performance|throughput|deferred|^queue/ },
    // The provider removes the named fields, which can be limits.
    { effect: "amount", names: /dropparam|paramstodrop|ignoreparam/ },
    { effect: "tool", names: /tool|search|retriev|plugin|connector|grounding|mcp|skill|agent/ },
    {
      effect: "tool",
      names: /vectorstore|^knowledge|^prompt(?:id|version|label|environment|variables)$/,
    },
    { effect: "tool", names: /webfetch|fetchurl|urlcontext|crawl|brows|interpreter|codeexec/ },
    {
      effect: "tool",
      names: /guardrail|enhancement|cachedcontent|contextmanagement|compound|^preset$/,
    },
    { effect: "tool", names: /^provideroptions$/ },
  ]

/** Matches all names that a rule matches. It is tested first, because most names match no rule. */
const ANY_RULE = new RegExp(RULES.map(({ names }) => names.source).join("|"))

/** Maximum characters of a name that is compared. No field of any vendor has a longer name. */
const MAX_LENGTH = 64

/** Maximum number of names whose results are cached. Callers choose the names. */
const MAX_CACHED = 5_000

const cached = new Map<string, Effect | "none">()
/** Number of names that were compared with the rules, because they were not cached. */
let compared = 0

/** Returns the number of names that this process has compared with the rules so far. */
export function comparedNames(): number {
  return compared
}

/**
 * Returns the effect that the name of a field suggests; undefined for other names. Case, `_` and `-` make no
 * difference.
 */
export function suggestedEffect(name: string): Effect | undefined {
  const known = cached.get(name)
  if (known !== undefined) return known === "none" ? undefined : known
  compared++
  const effect = findEffect(name)
  if (name.length <= MAX_LENGTH) {
    if (cached.size >= MAX_CACHED) cached.clear()
    cached.set(name, effect ?? "none")
  }
  return effect
}

/** Matches names that are their own folded form. */
const FOLDED = /^[a-z0-9]+$/

function findEffect(name: string): Effect | undefined {
  const start = name.slice(0, MAX_LENGTH)
  const folded = FOLDED.test(start) ? start : fold(start)
  if (!ANY_RULE.test(folded)) return undefined
  return RULES.find(({ names, and }) => names.test(folded) && and?.test(folded) !== false)?.effect
}

function fold(name: string): string {
  // Go treats the long s as an s, and the Kelvin sign as a k.
  return name
    .toUpperCase()
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, "")
}
