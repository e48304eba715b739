import { type Dispute, LIST_NAMES } from "./consensus.ts"
import { mistakenRates } from "./services.ts"
import type { Facts } from "./shape.ts"

/** Returns the text of the page about prices that differ between the lists. */
export function disputesPage(facts: Facts, disputes: readonly Dispute[]): string {
  const rows = disputes.map(({ model, class: name, values, chosen, rule }) => {
    const said = LIST_NAMES.map((list) => values[list] ?? "")
    const published = mistakenRates.find((entry) => `${entry.vendor}/${entry.name}` === model)
    const corrected = published?.rates[name]
    const result =
      corrected === undefined ? [`**${chosen}**`, rule] : [`**${corrected}**`, "provider's page"]
    return `| ${[`\`${model}\``, `\`${name}\``, ...said, ...result].join(" | ")} |`
  })
  const sources = facts.generated_from.map(
    ({ name, package: source, date }) => `| ${name} | ${source} | ${date} |`,
  )
  return `# Price disputes between the lists

<!-- Written by scripts/build-facts.ts. Do not edit. -->

The known prices ([prices](../run/prices.md)) of ${facts.date} come from three public lists:

| list | read from | date |
| --- | --- | --- |
${sources.join("\n")}

If at least two lists agree on the prices of a model, these prices are used (\`two of three\`). Otherwise one list is
used: the newest for vendors that sell their own models (\`newest\`), and the list with the highest sum of prices for
resellers (\`highest\`). For classes that are not compared, such as \`cached_input\`, the most frequent value of the lists
in use is chosen, or the highest if all differ. If a reseller's value is an outdated value of the model's maker, the
maker's current value is used (\`maker\`). If a provider's own page differs from the lists, its price is used. Prices are
in US dollars per million units. Models without disputes are not listed. For prices that depend on the time of day, the
highest price is compared ([prices that change over time](../run/prices.md#prices-that-change-over-time)).

| model | class | ${LIST_NAMES.join(" | ")} | chosen | rule |
| --- | --- | ${LIST_NAMES.map(() => "---").join(" | ")} | --- | --- |
${rows.join("\n")}
`
}
