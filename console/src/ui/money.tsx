import { Text, type TextProps } from "@mantine/core"
import { creditsText, shortCredits } from "../format/credits.ts"
import { t } from "../languages/text.ts"
import { SEPARATORS } from "../format/numbers.ts"

declare module "react" {
  interface CSSProperties {
    /** Width of an amount in characters. */
    "--digits"?: number
  }
}

export interface MoneyProperties extends TextProps {
  /** The credits as exact decimal text from the API. */
  readonly value: string
  /** Maximum number of shown decimals. The title contains the exact amount. */
  readonly decimals?: number
  /** Whether the word "credits" follows. */
  readonly hasUnit?: boolean
  /** Whether a plus sign is shown before positive amounts. */
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
  const [whole, fraction = ""] = text.split(SEPARATORS.decimal)
  const sign = isSigned && !value.startsWith("-") && /[1-9]/.test(value) ? "+" : ""
  return (
    <Text
      span
      inherit
      className="figures"
      title={t("{amount} credits", { amount: creditsText(value) })}
      {...style}
    >
      <span className="amount" style={{ "--digits": sign.length + text.length }}>
        {sign}
        {whole}
        {SEPARATORS.decimal}
        <span className="fraction">{fraction}</span>
      </span>
      {hasUnit && <span className="unit"> {t("credits")}</span>}
    </Text>
  )
}
