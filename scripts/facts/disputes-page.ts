import { type Dispute, LIST_NAMES } from "./consensus.ts"
import type { Facts } from "./shape.ts"

/** The page about what the lists disagree on. */
export function disputesPage(facts: Facts, disputes: readonly Dispute[]): string {
  const rows = disputes.map(({ model, class: name, values, chosen, rule }) => {
    const said = LIST_NAMES.map((list) => values[list] ?? "")
    return `| ${[`\`${model}\``, `\`${name}\``, ...said, `**${chosen}**`, rule].join(" | ")} |`
  })
  const sources = facts.generated_from.map(
    ({ name, package: source, date }) => `| ${name} | ${source} | ${date} |`,
  )
  return `# What the lists of prices disagree on

<!-- Written by scripts/build-facts.ts. Do not edit. -->

The known prices ([prices.md](prices.md)) of ${facts.date} come from three public lists:

| list | read from | of |
| --- | --- | --- |
${sources.join("\n")}

Where at least two agree, they win, whatever the third says. Where none do, the newest wins at a vendor that sells
models of its own, and the dearest at a reseller; of a class other than input and output, the dearest. Prices are in
US dollars per million units; a model that is not here has no dispute. Of prices that change by the hour the highest is
compared ([prices.md](prices.md#prices-that-change-over-time)).

| model | class | ${LIST_NAMES.join(" | ")} | chosen | by |
| --- | --- | ${LIST_NAMES.map(() => "---").join(" | ")} | --- | --- |
${rows.join("\n")}
`
}
