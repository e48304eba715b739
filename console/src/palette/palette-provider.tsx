import { useNavigate } from "@tanstack/react-router"
import {
  type ComponentType,
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useMemo,
  useState,
} from "react"
import { useAccount } from "../account.tsx"
import { unreachable } from "../api/api-error.ts"
import { visibleSections } from "../layout/nav.tsx"
import { useSession } from "../session.tsx"
import { notifyError } from "../ui/notify.tsx"
import type { DialogsProperties, PaletteDialog } from "./dialogs.tsx"
import { useShortcuts } from "./shortcuts.ts"

const OpenPalette = createContext<() => void>(() => {})

/** Returns the function that opens the command palette. */
export function useOpenPalette(): () => void {
  return useContext(OpenPalette)
}

/** Provides the command palette and the global shortcuts. Their dialogs are loaded on first use. */
export function PaletteProvider({ children }: { readonly children: ReactNode }) {
  const { is_operator: isOperator } = useSession()
  const { account, may } = useAccount()
  const navigate = useNavigate()
  const [Dialogs, setDialogs] = useState<ComponentType<DialogsProperties>>()
  const [shown, setShown] = useState<PaletteDialog>()
  const role = account?.role
  const entries = useMemo(
    () => visibleSections(isOperator, may).flatMap((section) => section.entries),
    // The result of `may` depends only on these values.
    [isOperator, role],
  )
  const show = useCallback((dialog: PaletteDialog) => {
    import("./dialogs.tsx").then(
      (module) => {
        setDialogs(() => module.PaletteDialogs)
        setShown((before) => (before === dialog ? undefined : dialog))
      },
      () => notifyError(unreachable()),
    )
  }, [])
  const onPalette = useCallback(() => show("palette"), [show])
  const onHelp = useCallback(() => show("shortcuts"), [show])
  const onGo = useCallback((to: string) => void navigate({ to }), [navigate])
  useShortcuts({ entries, onPalette, onHelp, onGo })
  return (
    <OpenPalette value={onPalette}>
      {children}
      {Dialogs !== undefined && (
        <Dialogs
          shown={shown}
          pages={entries}
          onShow={setShown}
          onClose={() => setShown(undefined)}
        />
      )}
    </OpenPalette>
  )
}
