/**
 * Writes docs/reference/priced-features.md from the tables in the code. The page lists the parts of a request that
 * determine the vendor's charge. `npm run pages` writes the file; a test compares it with the expected text.
 */
import { NAME_OF_CLASS } from "#contract/usage-classes.ts"
import { join } from "node:path"
import facts from "../src/catalog/facts.json" with { type: "json" }
import {
  BILLABLE,
  OLDER_MODELS,
  UNBILLED,
  USUAL_BILLABLE,
} from "../src/vendors/priced-features/index.ts"
import type {
  CallCharge,
  Charge,
  Counted,
  FieldSwitch,
  ModelCharge,
  Switches,
  TokensCharge,
} from "../src/vendors/priced-features/switch.ts"
import { vendors } from "../src/vendors/index.ts"
import { reflow } from "./reflow.ts"

export const BILLABLE_PAGE = join(import.meta.dir, "../docs/reference/priced-features.md")

const HEAD = `# Priced features

<!-- Written by scripts/billable-page.ts from the tables in the code. Do not edit. -->

Providers bill for more than tokens: searches, containers, faster service, other models. Fields and tools that request them are *priced features*. Before Tollgate holds credits, it searches the body for the priced features of each deployment of the model. A field that is dropped for another provider is neither billed nor rejected.

- If the feature has a price, its maximum cost is held. The provider's response contains the actual count, and the receipt lists it.
- If a tool has no price, it is dropped and reported as \`tools:dropped\`, provided that the request also has tools that the caller runs and does not require this one. Agents send such tools with every request. With \`x-tollgate-strict: true\` the request is rejected.
- If any other feature has no price, the request is rejected with 400 \`feature_not_priced\`, which names the field. With
  \`unpriced_features: allow\` it is sent at no charge, listed in the receipt as \`unpriced\`, and logged as an error.

A tool type that is not in these tables is unpriced. LiteLLM, OpenRouter, Requesty, Vercel and \`openai-compatible\` servers may act on undocumented fields. For these providers, a top-level field that no server documents is unpriced too. The operator can allow such a field with \`extra_fields\` of the provider ([providers](../run/providers.md#undocumented-fields)).

For other providers, and within objects, a field that is not in these tables is unpriced if its name suggests an effect on the bill, at any depth and in any spelling:

- a model or a server: \`model\`, \`modelName\`, \`context_window_fallbacks\`, \`routingConfig\`, \`extra_headers\`, \`api_base\`;
- an amount: \`max_new_tokens\`, \`thinkingBudget\`, \`n\`, \`num_completions\`, \`candidateCount\`;
- a mode: \`serviceTier\`, \`priority\`, \`speed\`, \`inference_geo\`, \`latency\`;
- a tool, a search or stored content: \`enable_search\`, \`retrieval\`, \`plugins\`, \`mcp_servers\`, \`cachedContent\`.

This rule does not apply to names in the caller's data (metadata, JSON schemas, arguments of tools) and in messages, except for options and definitions of tools. All other fields are sent. For embeddings, reranking, moderation, images, speech and transcriptions, the provider's billable fields are rejected, because no response counts them.

If the caller limits the calls, the hold covers that limit, and a charge never exceeds it. Without such a limit, the hold covers the number in these tables. This number is also sent to the provider if the provider has a field for it: \`max_uses\` of
a tool, or \`max_tool_calls\` for separately priced calls. If the balance does not cover that number and the provider has a field for the limit, fewer calls are allowed. Further calls are charged to the balance, up to ten times the number. The part that the balance does not cover is written off. To allow more calls, set the limit in the request.

After each call to a provider's tool the model reads the prompt and all earlier results again. Providers bill each of
these turns, so input is held for the maximum number of calls plus one.

A cheaper tier (\`flex\`, \`batch\`) is charged only if the response reports it. Otherwise the standard price applies. The
tier that a response reports is also charged if the request names no tier, because a project at the provider can have a
default tier. Until the gateway restarts, it then holds the price of that tier for requests without a tier to the same deployment. The same applies to \`inference_geo\`. A reported tier without a price is charged at the price of the requested one, listed in the receipt as
\`unpriced\`, and reported to the operator once.

If a provider does not report the lifetime of cache writes, the longest lifetime in the request is charged.

The price of a model's searches is held only if the request has a search tool, or if the model searches without such a tool (\`own_searches\` of the model).

Other models that a request names must be models of the same provider with a price (400 otherwise), and the key must be allowed to call them (403 \`model_not_allowed\` otherwise).

Set the prices of features, per million, in the provider's settings. Prices of a model take precedence:

\`\`\`yaml
providers:
  openai:
    vendor: openai
    api_key: \${OPENAI_API_KEY}
    prices:
      search: 10000            # credits per million: 0.01 for each
      file_search: 2500
      code_session: 30000
      modes: { priority: 2, flex: 0.5 }   # factors on the prices of tokens
models:
  openai/gpt-5.5:
    price: { input: 5, output: 30, modes: { priority: 2.5 } }
\`\`\`

A mode of a model can have [its own prices](../run/prices.md#service-modes) instead of a factor.

The following prices are built in. They come from the providers' own pages, and \`price-data/services.ts\` names the sources:

`

/** Returns the text of the page. */
export function billablePage(): string {
  const known = knownPrices()
  const titles = new Map<Switches, string[]>()
  const add = (switches: Switches, title: string): void => {
    titles.set(switches, [...(titles.get(switches) ?? []), title])
  }
  for (const [vendor, byDialect] of Object.entries(BILLABLE)) {
    for (const [dialect, switches] of Object.entries(byDialect)) {
      add(switches, `${vendors.get(vendor)?.name ?? vendor} (${dialect})`)
    }
  }
  for (const [dialect, switches] of Object.entries(USUAL_BILLABLE)) {
    const isNamed = Object.values(BILLABLE).some((byDialect) => dialect in byDialect)
    add(switches, `Every ${isNamed ? "other " : ""}provider with the format ${dialect}`)
  }
  for (const { name, switches } of OLDER_MODELS) add(switches, name)
  const sections = [...titles].map(([switches, names]) => section(names.join(", "), switches))
  const own = [...UNBILLED].map((id) => `\`${id}\``)
  return reflow(
    `${HEAD}${known}\n${sections.join("\n")}\nNo features are billed at providers whose \`vendor\` is ${own.slice(0, -1).join(", ")} or ${own.at(-1)}, because these are your own servers. A provider with\n\`vendor: openai-compatible\` may be any server, so the tables of all other providers apply to it.\n`,
  )
}

function knownPrices(): string {
  const rows = Object.entries(facts.services).map(([vendor, prices]) => {
    const { modes = {}, regional: _, ...rates } = prices as Record<string, unknown>
    const told = Object.entries(rates).map(([name, rate]) => `\`${name}\` ${String(rate)}`)
    const factors = Object.entries(modes as object).map(
      ([name, factor]) => `\`${name}\` x ${factor}`,
    )
    return [vendors.get(vendor)?.name ?? vendor, [...told, ...factors].join(", ")]
  })
  return table([["provider", "per million, and factors"], ...rows])
}

function section(title: string, switches: Switches): string {
  const { fields, tools, maxCalls, known = [], closed = [], included = {}, files } = switches
  const rows = [
    ...fields.flatMap(fieldRows),
    ...Object.entries(tools).map(([type, charge]) => [`tool \`${type}\``, ...told(charge)]),
    ...(files === undefined ? [] : [["files in the conversation", ...told(files)]]),
  ]
  const free = rows
    .filter(([, billed, held]) => billed === FREE && held === "")
    .map(([name]) => name)
  const billed = rows.filter(([name]) => !free.includes(name))
  const last = free.length === 0 ? "" : `\nFree of charge, except for tokens: ${free.join(", ")}.\n`
  const head = ["requested by", "billed", "held for", "counted by"]
  const limit =
    maxCalls === undefined ? "" : `\n\`${maxCalls}\` limits the calls to all tools together.\n`
  const inclusions = Object.entries(included).map(
    ([tool, rule]) =>
      `\n\`${tool}\` costs only tokens in requests that also have ${rule.beside.map((name) => `\`${name}\``).join(" or ")} of version ${rule.since} or later.\n`,
  )
  const others = named("Fields without a separate price", known)
  const only = named("Objects in which unlisted members are rejected", closed)
  return `## ${title}\n\n${billed.length === 0 ? "" : table([head, ...billed])}${limit}${inclusions.join("")}${last}${others}${only}`
}

function named(what: string, paths: readonly string[]): string {
  if (paths.length === 0) return ""
  return `\n${what}: ${paths.map((path) => `\`${path.replace(".**", "")}\``).join(", ")}.\n`
}

const FREE = "tokens only"

function fieldRows({
  path: value,
  member,
  values = {},
  otherwise,
  served,
}: FieldSwitch): string[][] {
  const path = member === undefined ? value : `${value}.${member}`
  const by = served === undefined ? undefined : served.map((each) => `\`${each}\``).join(", else ")
  const row = (name: string, charge: Charge): string[] => {
    const [billed = "", held = "", counted = ""] = told(charge)
    return [name, billed, held, charge.by === "mode" ? (by ?? counted) : counted]
  }
  return [
    ...Object.entries(values).map(([value, charge]) => row(`\`${path}: ${value}\``, charge)),
    row(Object.keys(values).length === 0 ? `\`${path}\`` : `\`${path}\`, any other`, otherwise),
  ]
}

/** Returns the charge, its hold, and the field of the response that counts it. */
function told(charge: Charge): string[] {
  switch (charge.by) {
    case "tokens":
      return charge.adds === undefined ? [FREE, "", ""] : [FREE, heldTokens(charge), "the usage"]
    case "calls":
      return [`\`${nameOf(charge)}\`${sizes(charge)}`, heldCalls(charge), countsOf(charge)]
    case "mode":
      return [
        `\`modes.${charge.mode}\`${charge.isPossible ? ", if it has a price" : ""}`,
        "its price, or the standard price if higher",
        "the requested mode",
      ]
    case "model":
      return [
        WHEN[charge.how],
        heldModel(charge),
        "the model in the response, or the usage of each model",
      ]
    case "outputs":
      return [FREE, "that number of outputs", "the usage"]
    case "again":
      return [FREE, "all tokens twice", "the usage, including its iterations"]
    case "unknown":
      return [`**rejected**: ${charge.why}`, "", ""]
  }
}

const WHEN: Readonly<Record<ModelCharge["how"], string>> = {
  instead: "another model instead",
  after: "another model after the first one",
  alongside: "another model in addition",
}

function heldModel({ max: most, limit, outputTokens, outputLimit, how }: ModelCharge): string {
  if (how === "instead") return "the most expensive model"
  const often = limit === undefined ? times(most ?? 1) : `\`${limit}\` times, else ${most ?? 1}`
  const limited = outputLimit === undefined ? "" : `\`${outputLimit}\`, else `
  const tokens = outputTokens === undefined ? "" : `, each with ${limited}${outputTokens} tokens`
  return `that model, ${often}${tokens}`
}

function heldTokens({ adds, calls, limit, resultLimit }: TokensCharge): string {
  const result = resultLimit === undefined ? String(adds) : `\`${resultLimit}\`, else ${adds}`
  const often = limit === undefined ? times(calls ?? 1) : `\`${limit}\` times, else ${calls}`
  return calls === undefined ? `${adds} more input tokens` : `${result} more input tokens, ${often}`
}

function times(count: number): string {
  return count === 1 ? "once" : `${count} times`
}

function heldCalls({ max: most, limit, raisedBy, adds, results }: CallCharge): string {
  const assumed = limit === undefined ? String(most) : `\`${limit}\`, else ${most}`
  const often = raisedBy === undefined ? assumed : `${assumed}, or a larger \`${raisedBy[0]}\``
  const found = results && ` for every ${results.each} of \`${results.paths[0]}\``
  const calls = `${often}${found ?? ""}`
  return adds === undefined ? calls : `${calls}, each with ${adds} more input tokens`
}

function sizes({ sizes: known, lasts }: CallCharge): string {
  const size = known === undefined ? "" : `, by \`${known.path}\``
  return lasts === undefined ? size : `${size}, for every ${lasts} s`
}

function countsOf({ counted, listedWith, insteadIf }: CallCharge): string {
  const ways = counted.map(way).join(", else ")
  if (insteadIf !== undefined) {
    return `${ways}; with \`${insteadIf.path}\`: ${countsOf(insteadIf.charge)}`
  }
  if (listedWith === undefined) return ways
  return `${ways}; without those that are charged as \`${NAME_OF_CLASS[listedWith]}\``
}

function way(counted: Counted): string {
  switch (counted.in) {
    case "usage":
      return counted.paths.map((path) => `\`${path}\``).join(" + ")
    case "items":
      return `${workOf(counted)}: ${counted.names.map((name) => `\`${name}\``).join(", ")}`
    case "answer":
      return counted.untilEnd ? "one for each interrupted response" : "one for each response"
  }
}

function nameOf(charge: CallCharge): string {
  return NAME_OF_CLASS[charge.class]
}

function table([head = [], ...rows]: readonly string[][]): string {
  const lines = [head, head.map(() => "---"), ...rows]
  return `${lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n")}\n`
}

function workOf({ each, asOne }: Counted & { in: "items" }): string {
  if (asOne === true) return "one for all items in the response"
  return each === undefined
    ? "items in the response"
    : `items in the response, one for each \`${each}\``
}

if (import.meta.main) await Bun.write(BILLABLE_PAGE, billablePage())
