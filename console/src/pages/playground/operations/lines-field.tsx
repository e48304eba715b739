import { Textarea } from "@mantine/core"
import { t } from "../../../languages/text.ts"

export interface LinesFieldProperties {
  readonly label: string
  /** Maximum number of texts; no limit if absent. */
  readonly maxLines?: number
  readonly value: string
  readonly onChange: (value: string) => void
}

/** A field for several texts, one per line. */
export function LinesField({ label, maxLines, value, onChange }: LinesFieldProperties) {
  return (
    <Textarea
      label={label}
      description={
        maxLines === undefined
          ? t("One per line.")
          : t("One per line, at most {max}.", { max: maxLines })
      }
      autosize
      minRows={4}
      maxRows={14}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
