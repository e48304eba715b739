import { Drawer, type DrawerProps, Modal, type ModalProps } from "@mantine/core"
import { type ReactNode, type SyntheticEvent, useRef, useState } from "react"
import { DiscardQuestion } from "./discard-question.tsx"
import { useLeaveQuestion } from "./use-leave-question.tsx"

/** A dialog with a form. It asks before it is closed with unsaved changes, except by the buttons of the form. */
export function FormModal({ children, onClose, ...properties }: ModalProps) {
  const { body, close, questions } = useUnsavedChanges(children, onClose)
  return (
    <>
      <Modal {...properties} onClose={close}>
        {body}
      </Modal>
      {questions}
    </>
  )
}

/** A dialog at the edge of the page, with the same behavior. */
export function FormDrawer({ children, onClose, ...properties }: DrawerProps) {
  const { body, close, questions } = useUnsavedChanges(children, onClose)
  return (
    <>
      <Drawer {...properties} onClose={close}>
        {body}
      </Drawer>
      {questions}
    </>
  )
}

function useUnsavedChanges(children: ReactNode, onClose: () => void) {
  const forms = useRef(new Set<HTMLFormElement>())
  const isSubmitted = useRef(false)
  const [isAsking, setAsking] = useState(false)
  // A form is removed from the page when it is saved or cancelled.
  const hasChanges = () => [...forms.current].some((form) => form.isConnected)

  function change({ target, currentTarget }: SyntheticEvent) {
    const form = formOf(target, currentTarget)
    if (form === null) return
    forms.current.add(form)
    isSubmitted.current = false
  }

  function close() {
    if (isAsking) return
    // Opens the question after this event. Otherwise, the same key press would close it.
    if (hasChanges()) setTimeout(() => setAsking(true))
    else onClose()
  }

  const body = (
    <div
      onChange={change}
      onClick={(event) => {
        if (isOption(event.target)) change(event)
      }}
      onSubmit={() => {
        isSubmitted.current = true
      }}
    >
      {children}
    </div>
  )
  // After a submission, the form itself may open another page.
  const leaving = useLeaveQuestion(() => !isSubmitted.current && hasChanges())
  const questions = (
    <>
      <DiscardQuestion isOpen={isAsking} onDiscard={onClose} onClose={() => setAsking(false)} />
      {leaving}
    </>
  )
  return { body, close, questions }
}

/** Returns the form of a change. Options of a select are outside of the form. Search fields change nothing. */
function formOf(target: EventTarget, dialog: Element): HTMLFormElement | null {
  if (!(target instanceof Element) || target.closest(".search, [type=search]") !== null) return null
  return target.closest("form") ?? dialog.querySelector("form")
}

/** Whether a click chooses an option of a select, which sends no change event. */
function isOption(target: EventTarget): boolean {
  return target instanceof Element && target.closest("[role=option]") !== null
}
