import { Confirm } from "./confirm.tsx"

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
      title="Discard unsaved changes?"
      action="Discard"
      onConfirm={async () => onDiscard()}
      onClose={onClose}
    >
      Your changes have not been saved.
    </Confirm>
  )
}
