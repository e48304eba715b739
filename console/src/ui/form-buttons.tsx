import { Button, Group } from "@mantine/core"

export interface FormButtonsProperties {
  /** The word on the button that sends the form: "Create the key". */
  readonly action: string
  readonly isBusy: boolean
  readonly onClose: () => void
}

/** The end of a form in a dialog. */
export function FormButtons({ action, isBusy, onClose }: FormButtonsProperties) {
  return (
    <Group justify="flex-end" gap="xs">
      <Button variant="default" onClick={onClose}>
        Cancel
      </Button>
      <Button type="submit" loading={isBusy}>
        {action}
      </Button>
    </Group>
  )
}
