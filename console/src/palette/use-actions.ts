import { useMantineColorScheme } from "@mantine/core"
import { useNavigate } from "@tanstack/react-router"
import { useAccount } from "../account.tsx"
import { useSignOut } from "../layout/use-sign-out.ts"
import { useSession } from "../session.tsx"
import type { PaletteEntry } from "./entries.ts"
import { t } from "../languages/text.ts"

const SCHEMES = [
  { value: "light", label: t("Light appearance"), keywords: t("mode theme bright") },
  { value: "dark", label: t("Dark appearance"), keywords: t("mode theme night") },
  { value: "auto", label: t("Appearance of the system"), keywords: t("mode theme auto") },
] as const

function action(id: string, label: string, keywords: string, choose: () => void): PaletteEntry {
  return { id, group: t("Actions"), label, keywords, choose }
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
          action("create-key", t("Create a key"), t("new add secret token"), () => {
            void navigate({ to: "/keys", search: { create: "1" } })
          }),
        ]
      : []),
    ...(isOperator
      ? [
          action(
            "adjust-credits",
            t("Adjust credits"),
            t("refund grant debit top up correct"),
            () => {
              if (accountId === undefined) void navigate({ to: "/accounts" })
              else void navigate({ to: "/credits", search: { add: "entry" } })
            },
          ),
        ]
      : []),
    ...SCHEMES.map(({ value, label, keywords }) =>
      action(`appearance-${value}`, label, keywords, () => setColorScheme(value)),
    ),
    action("help", t("Keyboard shortcuts"), t("help"), onHelp),
    action("sign-out", t("Sign out"), t("log out logout leave exit"), () => void signOut()),
  ]
}
