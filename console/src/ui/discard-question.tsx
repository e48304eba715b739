import { Confirm } from "./confirm.tsx"
import { t } from "../languages/text.ts"

export interface DiscardQuestionProperties {
  readonly isOpen: boolean
  readonly onDiscard: () => void
  readonly onClose: () => void
}

/** Asks whether to discard unsaved changes. */
export function DiscardQuestion({ isOpen, onDiscard, onClose }: DiscardQuestionProperties) {
  return (
    <Confirm
      isOpen={isOpen}
      title={t("Discard unsaved changes?")}
      action={t("Discard")}
      onConfirm={async () => onDiscard()}
      onClose={onClose}
    >
      {t("Your changes have not been saved.")}
    </Confirm>
  )
}
