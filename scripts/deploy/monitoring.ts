import { readFileSync } from "node:fs"
import { parse } from "yaml"
import { COUNTERS, GAUGES, HISTOGRAMS } from "../../src/metrics/definitions.ts"

const METRIC = /\btollgate_[a-z_]+/g

/** The names of all existing metric series. A histogram has three series. */
const KNOWN: ReadonlySet<string> = new Set([
  ...Object.keys(COUNTERS),
  ...Object.keys(GAUGES),
  ...Object.keys(HISTOGRAMS).flatMap((name) => [`${name}_bucket`, `${name}_sum`, `${name}_count`]),
])

interface Rule {
  readonly alert?: string
  readonly expr?: string
  readonly labels?: { readonly severity?: string }
  readonly annotations?: { readonly summary?: string; readonly description?: string }
}

interface Panel {
  readonly title?: string
  readonly targets?: readonly { readonly expr?: string }[]
}

/** Returns the faults of the alert rules. Every metric in a rule must exist. */
export function checkAlerts(path: string): string[] {
  const { groups = [] } = parse(readFileSync(path, "utf8")) as {
    groups?: readonly { readonly rules?: readonly Rule[] }[]
  }
  const rules = groups.flatMap((group) => group.rules ?? [])
  if (rules.length === 0) return ["there are no rules"]
  return rules.flatMap(({ alert = "a rule", expr = "", labels, annotations }) => [
    ...expressionFaults(alert, expr),
    ...(labels?.severity === undefined ? [`${alert} has no severity`] : []),
    ...(annotations?.summary === undefined ? [`${alert} has no summary`] : []),
    ...(annotations?.description === undefined
      ? [`${alert} has no description with a remedy`]
      : []),
  ])
}

/**
 * Returns the faults of the dashboard. Each panel must show a metric, every metric in a panel must exist, and all
 * metrics must be shown.
 */
export function checkDashboard(path: string): string[] {
  const { panels = [] } = JSON.parse(readFileSync(path, "utf8")) as { panels?: readonly Panel[] }
  const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr = "" }) => expr))
  const shown = expressions.join(" ")
  const names = [...Object.keys(COUNTERS), ...Object.keys(HISTOGRAMS), ...Object.keys(GAUGES)]
  return [
    ...panels.flatMap(({ title = "a panel", targets = [] }) =>
      targets.length === 0
        ? [`${title} shows nothing`]
        : targets.flatMap(({ expr = "" }) => expressionFaults(title, expr)),
    ),
    ...names.filter((name) => !shown.includes(name)).map((name) => `${name} is not shown`),
  ]
}

function expressionFaults(place: string, expression: string): string[] {
  const metrics = expression.match(METRIC) ?? []
  const depth = [...expression].reduce((open, character) => {
    if (character === "(") return open + 1
    return character === ")" ? open - 1 : open
  }, 0)
  return [
    ...(metrics.length === 0 ? [`${place} asks for no metric`] : []),
    ...(depth === 0 ? [] : [`${place} has a parenthesis too many or too few`]),
    ...metrics
      .filter((metric) => !KNOWN.has(metric))
      .map((metric) => `${place} asks for ${metric}, which does not exist`),
  ]
}
