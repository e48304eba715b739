import { Button, Group } from "@mantine/core"
import { isOutcomeUnknown } from "../api/api-error.ts"
import { t } from "../languages/text.ts"

export interface FormButtonsProperties {
  /** The label of the submit button: "Create the key". */
  readonly action: string
  readonly isBusy: boolean
  /** The error of the last submission, if the form can be submitted again safely. */
  readonly error?: unknown
  readonly onClose: () => void
}

/** The buttons at the end of a form in a dialog. */
export function FormButtons({ action, isBusy, error, onClose }: FormButtonsProperties) {
  return (
    <Group justify="flex-end" gap="xs">
      <Button variant="default" onClick={onClose}>
        {t("Cancel")}
      </Button>
      <Button type="submit" loading={isBusy}>
        {isOutcomeUnknown(error) ? t("Try again") : action}
      </Button>
    </Group>
  )
}
