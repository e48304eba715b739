import type { UsageChange, UsageChanges } from "tollgate-contract/usage.ts"
import { roughCredits, shortCredits } from "../../format/credits.ts"
import { shareText } from "../../format/numbers.ts"

/** Maximum number of causes in the sentence. The table lists all of them. */
const MAX_NAMED = 3

export const KIND_NAMES: Readonly<Record<UsageChange["kind"], string>> = {
  key: "Key",
  model: "Model",
  user: "End user",
  session: "Session",
  tag: "Tag",
}

/** The direction in which spending changed. */
export function directionOf(change: string): "rise" | "fall" | "stay" {
  const amount = roughCredits(change)
  if (amount === 0) return "stay"
  return amount > 0 ? "rise" : "fall"
}

/** Describes the change in spending and its main causes in one or two sentences. */
export function changeSentence({ change, compared_cost: before, data }: UsageChanges): string {
  const direction = directionOf(change)
  if (direction === "stay") return "Spend did not change compared with the previous period."
  const whole = roughCredits(before)
  const share = whole === 0 ? "" : ` (${shareText(Math.abs(roughCredits(change)) / whole)})`
  const verb = direction === "rise" ? "rose" : "fell"
  const total = `Spend ${verb} by ${shortCredits(unsigned(change))} credits${share} compared with the previous period.`
  const causes = mainCauses(data).map(
    (cause) =>
      `${KIND_NAMES[cause.kind].toLowerCase()} ${causeName(cause)} (${signed(cause.change)})`,
  )
  return causes.length === 0 ? total : `${total} Mainly responsible: ${listOf(causes)}.`
}

export function causeName({ name, group }: UsageChange): string {
  return name ?? group
}

/** Returns the largest cause of each kind. The causes of a kind overlap with those of the others. */
function mainCauses(causes: readonly UsageChange[]): readonly UsageChange[] {
  const first = new Map(causes.toReversed().map((cause) => [cause.kind, cause]))
  return causes.filter((cause) => first.get(cause.kind) === cause).slice(0, MAX_NAMED)
}

function unsigned(amount: string): string {
  return amount.replace(/^-/, "")
}

function signed(amount: string): string {
  return `${amount.startsWith("-") ? "" : "+"}${shortCredits(amount)}`
}

function listOf(parts: readonly string[]): string {
  return new Intl.ListFormat("en", { type: "conjunction" }).format(parts)
}
