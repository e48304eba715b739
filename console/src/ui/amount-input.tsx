import { Text, TextInput, type TextInputProps } from "@mantine/core"
import { CREDITS_FORM, readAmount } from "tollgate-contract/amounts.ts"
import { creditsText } from "../format/credits.ts"
import { t } from "../languages/text.ts"

/** A field for credits. To prevent mistakes, the parsed amount is shown below the field. */
export function AmountInput(properties: TextInputProps) {
  const { value } = properties
  return (
    <div>
      <TextInput
        inputMode="decimal"
        rightSection={<span className="unit">{t("credits")}</span>}
        rightSectionWidth={62}
        {...properties}
      />
      <AmountEcho typed={typeof value === "string" ? value : ""} unit={t("credits")} />
    </div>
  )
}

/** Shows the parsed amount if it is valid: `= 1,500.00 credits`. */
export function AmountEcho({ typed, unit }: { readonly typed: string; readonly unit: string }) {
  const reading = readAmount(typed, { ...CREDITS_FORM, whole: 12, fraction: 12 })
  return (
    <Text size="xs" c="dimmed" role="status" mt={"amount" in reading ? 4 : 0}>
      {"amount" in reading ? `= ${creditsText(reading.amount)} ${unit}` : ""}
    </Text>
  )
}
