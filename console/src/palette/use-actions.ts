import { useMantineColorScheme } from "@mantine/core"
import { useNavigate } from "@tanstack/react-router"
import { useAccount } from "../account.tsx"
import { useSignOut } from "../layout/use-sign-out.ts"
import { useSession } from "../session.tsx"
import type { PaletteEntry } from "./entries.ts"

const SCHEMES = [
  { value: "light", label: "Light appearance", keywords: "mode theme bright" },
  { value: "dark", label: "Dark appearance", keywords: "mode theme night" },
  { value: "auto", label: "Appearance of the system", keywords: "mode theme auto" },
] as const

function action(id: string, label: string, keywords: string, choose: () => void): PaletteEntry {
  return { id, group: "Actions", label, keywords, choose }
}

/** Returns the actions that the user may start from the palette. */
export function useActions(onHelp: () => void): PaletteEntry[] {
  const navigate = useNavigate()
  const signOut = useSignOut()
  const { is_operator: isOperator } = useSession()
  const { accountId, may } = useAccount()
  const { setColorScheme } = useMantineColorScheme()
  return [
    ...(may("member")
      ? [
          action("create-key", "Create a key", "new add secret token", () => {
            void navigate({ to: "/keys", search: { create: "1" } })
          }),
        ]
      : []),
    ...(isOperator && accountId !== undefined
      ? [
          action("adjust-credits", "Adjust credits", "refund grant debit top up correct", () => {
            void navigate({ to: "/credits", search: { add: "entry" } })
          }),
        ]
      : []),
    ...SCHEMES.map(({ value, label, keywords }) =>
      action(`appearance-${value}`, label, keywords, () => setColorScheme(value)),
    ),
    action("help", "Keyboard shortcuts", "help", onHelp),
    action("sign-out", "Sign out", "log out logout leave exit", () => void signOut()),
  ]
}
