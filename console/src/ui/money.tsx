import { Text, type TextProps } from "@mantine/core"
import { creditsText, shortCredits } from "../format/credits.ts"

declare module "react" {
  interface CSSProperties {
    /** How many characters an amount has. */
    "--digits"?: number
  }
}

export interface MoneyProperties extends TextProps {
  /** Credits as exact decimal text, as the API gives them. */
  readonly value: string
  /** At most so many decimals are shown; the exact text is the title. */
  readonly decimals?: number
  /** Whether the word "credits" follows. */
  readonly hasUnit?: boolean
  /** With a plus before what is above zero. */
  readonly isSigned?: boolean
}

/** An amount of credits. */
export function Money({
  value,
  decimals,
  hasUnit = false,
  isSigned = false,
  ...style
}: MoneyProperties) {
  const text = decimals === undefined ? creditsText(value) : shortCredits(value, decimals)
  const [whole, fraction = ""] = text.split(".")
  const sign = isSigned && !value.startsWith("-") && /[1-9]/.test(value) ? "+" : ""
  return (
    <Text span inherit className="figures" title={`${creditsText(value)} credits`} {...style}>
      <span className="amount" style={{ "--digits": sign.length + text.length }}>
        {sign}
        {whole}.<span className="fraction">{fraction}</span>
      </span>
      {hasUnit && <span className="unit"> credits</span>}
    </Text>
  )
}
