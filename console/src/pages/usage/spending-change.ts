import type { UsageChange, UsageChanges } from "tollgate-contract/usage.ts"
import { roughCredits, shortCredits } from "../../format/credits.ts"
import { shareText } from "../../format/numbers.ts"
import { inSentence, t } from "../../languages/text.ts"
import { listText } from "../../format/lists.ts"

/** Maximum number of causes in the sentence. The table lists all of them. */
const MAX_NAMED = 3

export const KIND_NAMES: Readonly<Record<UsageChange["kind"], string>> = {
  key: t("Key"),
  model: t("Model"),
  user: t("End user"),
  session: t("Session"),
  tag: t("Tag"),
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
  if (direction === "stay") return t("Spend did not change compared with the previous period.")
  const total = totalSentence(direction, change, before)
  const causes = mainCauses(data).map((cause) =>
    t("{kind} {name} ({change})", {
      kind: inSentence(KIND_NAMES[cause.kind]),
      name: causeName(cause),
      change: signed(cause.change),
    }),
  )
  return causes.length === 0
    ? total
    : `${total} ${t("Mainly responsible: {list}.", { list: listText(causes) })}`
}

function totalSentence(direction: "rise" | "fall", change: string, before: string): string {
  const amount = shortCredits(unsigned(change))
  const whole = roughCredits(before)
  if (whole === 0) {
    return direction === "rise"
      ? t("Spend rose by {amount} credits compared with the previous period.", { amount })
      : t("Spend fell by {amount} credits compared with the previous period.", { amount })
  }
  const share = shareText(Math.abs(roughCredits(change)) / whole)
  return direction === "rise"
    ? t("Spend rose by {amount} credits ({share}) compared with the previous period.", {
        amount,
        share,
      })
    : t("Spend fell by {amount} credits ({share}) compared with the previous period.", {
        amount,
        share,
      })
}

export function causeName({ name, group }: UsageChange): string {
  return name ?? group
}

/** Returns the largest cause of each kind. Causes of different kinds overlap. */
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
