import { Button, Group } from "@mantine/core"
import { isOutcomeUnknown } from "../api/api-error.ts"

export interface FormButtonsProperties {
  /** The word on the button that sends the form: "Create the key". */
  readonly action: string
  readonly isBusy: boolean
  /** Why the form could not be sent, where it may be sent again without being done twice. */
  readonly error?: unknown
  readonly onClose: () => void
}

/** The end of a form in a dialog. */
export function FormButtons({ action, isBusy, error, onClose }: FormButtonsProperties) {
  return (
    <Group justify="flex-end" gap="xs">
      <Button variant="default" onClick={onClose}>
        Cancel
      </Button>
      <Button type="submit" loading={isBusy}>
        {isOutcomeUnknown(error) ? "Try again" : action}
      </Button>
    </Group>
  )
}
