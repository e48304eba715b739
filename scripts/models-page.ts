/**
 * Writes docs/reference/model-rules.md from the tables in the code. The page lists the rules of models, and the rules
 * learned from rejected requests. `npm run pages` writes the file; a test checks that it is current.
 */
import { ruleText } from "#contract/effective-rules.ts"
import type { ModelRules, RuleName } from "#contract/model-rules.ts"
import { MODEL_RULES, RULE_NAMES, type RuleDefinition } from "#contract/rule-definitions.ts"
import { join } from "node:path"
import { REJECTIONS, rejectionIn } from "../src/canon/rejected-parameters.ts"
import { vendors } from "../src/vendors/index.ts"
import { DIALECT_MAKERS, RULE_TABLE, SWITCHES } from "../src/catalog/model-rules.ts"
import { reflow } from "./reflow.ts"

export const MODELS_PAGE = join(import.meta.dir, "../docs/reference/model-rules.md")

const HEAD = `# Model rules

<!-- Written by scripts/models-page.ts from the tables in the code. Do not edit. -->

Models of one provider accept different parameters. The gateway has rules for each model, and adapts each translated request to these rules. It reports changed and omitted parts in \`x-tollgate-losses\`. With \`x-tollgate-strict: true\` such a request gets a 400 instead.

A request in the provider's own format is sent unchanged if the provider is the maker of that format (${[...DIALECT_MAKERS].map((id) => vendorName(id)).join(", ")}). Of the built-in rules, only the required API and the rejection of stop sequences apply to such a request. Rules from the settings and learned rules apply too. At other providers all rules apply.

\`tollgate models --rules openai/gpt-5.4\` prints the rules of a model at each of its deployments and their
sources, with \`--json\` as JSON. The model's page in the console and \`GET /admin/v1/models/{id}\` (\`deployments[].rules\`)
also show the rules that the gateway has learned since the start.

## Set a rule

\`\`\`yaml
providers:
  local: { vendor: openai-compatible, base_url: "http://10.0.0.1:8000/v1" }
  spare: { vendor: openai-compatible, base_url: "http://10.0.0.2:8000/v1" }
models:
  local/llama:
    rules:
      tools: false
      rejected_parameters: [seed, logprobs]
    deployments:
      - { provider: local, model: llama3.2 }
      - { provider: spare, model: llama-3.2, rules: { tools: true, max_tokens_field: max_tokens } }
\`\`\`

Each entry replaces one rule; other known rules are kept. A rule of a deployment takes precedence over one of its model.
\`rejected_parameters: []\` and \`any\` remove a built-in restriction. The console shows and changes the rules in the details of a model, and \`PUT /admin/v1/models/{id}\` accepts the same \`rules\`. The error for an unknown rule or value names it.

## The rules

`

const LEARNED_HEAD = `
## Learned rules

If a provider rejects a parameter, the gateway corrects the request and resends it to the same deployment before
the caller receives a response. If the correction succeeds, the gateway keeps the rule for the deployment until the
process restarts, so that later requests are accepted the first time.

- A request is corrected up to three times, once for each rule or parameter. If a correction changes nothing, the request is not sent again. If no correction succeeds, the caller gets the provider's error, and no rule is learned.
- A rejected call is never charged. The receipt lists it with its status.
- Losses are reported as usual. A caller with \`x-tollgate-strict: true\` gets the provider's error instead, unless the
  correction loses nothing.
- Output limits, \`n\`, limits on tool calls, service tiers, storage and answer formats are never left out. An output
  limit is sent under its other name.
- A rule from the settings is never replaced. Set a rule to prevent the gateway from learning it.
- If sampling parameters were rejected together with a reasoning effort, requests without reasoning still contain them.
- Each process stores its own rules, for up to 1,000 deployments. It logs \`rule_learned\` once for each value.

The gateway recognizes messages that begin like one of these; names and values may differ:

| message | learned rule | reported by |
|---|---|---|
`

const TAIL = `
## In the code

- \`contract/model-rules.ts\` and \`contract/rule-definitions.ts\` define the rules; \`src/catalog/rule-table/\` has the built-in rules with their sources.
- \`npm run facts\` imports the price list's rules into \`src/catalog/facts.json\`.
- \`src/catalog/model-rules.ts\` resolves all sources once per deployment, \`src/relay/fitting/fit-to-model.ts\` fits a
  request.
- \`src/canon/rejected-parameters.ts\` recognizes the messages, \`src/relay/chat/corrections.ts\` corrects requests,
  \`src/catalog/learned-rules.ts\` stores the learned rules.

To add a built-in rule:

1. Add a row to the table, with its source.
2. Add the same limit to \`simulator/vendor-limits\`, with the provider's status and message. Use the provider's documentation, not the rule. The simulator imitates a provider with its limits at \`/vendors/<vendor>\`, for example
   \`http://127.0.0.1:9999/vendors/openai/v1\`.
3. Add a row to \`test/model-rules/rejected-requests.ts\`: a request that the provider rejects, and its reported losses. The test sends it in every format, with the rule and without it.

To add a message, add a row with its source, and an example to \`test/canon/rejected-parameters.test.ts\`. Rules of a specific
format, such as Claude's and Gemini's thinking budgets, are in the quirks of that dialect.
`

/** Returns the text of the page. */
export function modelsPage(): string {
  const rules = table(
    ["rule", "values", "meaning", "effect on a request"],
    RULE_NAMES.map((name) => {
      const rule = MODEL_RULES[name]
      return [`\`${name}\``, valuesOf(rule), rule.meaning, rule.effect]
    }),
  )
  return reflow([HEAD, rules, builtIn(), LEARNED_HEAD, learned(), TAIL].join(""))
}

function valuesOf({ type, values = [], range = [0, 0], mayBeEmpty }: RuleDefinition): string {
  const names = values.map((value) => `\`${value}\``).join(", ")
  switch (type) {
    case "flag":
      return "`true`, `false`"
    case "number":
      return range.map((limit) => limit.toLocaleString("en")).join(" to ")
    case "list":
      return `a list of ${names}${mayBeEmpty === true ? "; may be empty" : ""}`
    case "choice":
      return names
  }
}

function builtIn(): string {
  const rows = RULE_TABLE.map(({ vendors: ids, applies, rules, source }) => [
    ids.map((id) => vendorName(id)).join(", "),
    applies,
    rulesText(rules),
    source,
  ])
  const switches = [...SWITCHES].map(([id, { off, source }]) => [
    vendorName(id),
    "models that reason, without the effort `none` in the price list",
    rulesText({ reasoning_off: off }),
    source,
  ])
  return `
## Built-in rules

If several rows match a model, later rows replace rules of earlier rows.

${table(["provider", "models", "rules", "source"], [...rows, ...switches])}
## Rules of the price list

The price list ([prices](../run/prices.md)) also contains rules. They apply to most models of providers whose format does not handle these differences itself:

${table(
  ["entry in the list", "rules"],
  [
    ["the model does not reason", rulesText({ reasoning: "unsupported" })],
    ["accepted efforts", "`reasoning_efforts`; with `none` among them also `reasoning_off: none`"],
    ["reasoning is sent back as `reasoning_content`", rulesText({ reasoning_history: true })],
    [
      "no temperature, unless a built-in rule covers sampling",
      rulesText({ rejected_parameters: ["temperature", "top_p"] }),
    ],
  ],
)}`
}

function learned(): string {
  return REJECTIONS.map(({ example, parameter, source }) => {
    const rules = rejectionIn(
      example,
      parameter === undefined ? {} : { parameter: field(parameter) },
    )
    return `| ${example.replaceAll("`", "'")} | ${rulesText(rules ?? {})} | ${source} |\n`
  }).join("")
}

/** Returns the name of the field at the end of a pattern. */
function field({ source }: RegExp): string {
  return source.replace("$", "")
}

function rulesText(rules: ModelRules): string {
  return (Object.keys(rules) as RuleName[])
    .map((name) => {
      const value = rules[name]
      const words = typeof value === "boolean" ? String(value) : ruleText(asShown(value ?? ""))
      return `\`${name}\`: ${words}`
    })
    .join("; ")
}

function asShown(
  value: NonNullable<ModelRules[RuleName]> | "",
): string | number | boolean | string[] {
  return typeof value === "object" ? [...value] : value
}

function vendorName(id: string): string {
  return vendors.get(id)?.name ?? id
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`)
  return `${lines.join("\n")}\n`
}

if (import.meta.main) await Bun.write(MODELS_PAGE, modelsPage())
