import type { User } from "tollgate-contract/members.ts"
import { t } from "../../languages/text.ts"

/** An operator's action on a user. */
export interface UserTask {
  readonly name: "promote" | "demote" | "disable" | "enable" | "erase"
  readonly user: User
}

/** The confirmation of an action, and the change that it sends. */
export interface UserQuestion {
  readonly title: string
  readonly text: string
  readonly action: string
  readonly isDangerous: boolean
  /** The change; null if the user is erased. */
  readonly change: { readonly is_operator?: boolean; readonly is_disabled?: boolean } | null
}

export function questionOf({ name, user }: UserTask): UserQuestion {
  switch (name) {
    case "promote":
      return {
        title: t("Make {name} an operator?", { name: user.name }),
        text: t(
          "An operator can see every account, key and request, and change everything, including providers and prices.",
        ),
        action: t("Make an operator"),
        isDangerous: true,
        change: { is_operator: true },
      }
    case "demote":
      return {
        title: t("Remove operator rights from {name}?", { name: user.name }),
        text: t("Their roles in accounts remain."),
        action: t("Remove"),
        isDangerous: true,
        change: { is_operator: false },
      }
    case "disable":
      return {
        title: t("Disable {name}?", { name: user.name }),
        text: t(
          "All their sessions end immediately and they can no longer sign in. Account keys keep working.",
        ),
        action: t("Disable the user"),
        isDangerous: true,
        change: { is_disabled: true },
      }
    case "enable":
      return {
        title: t("Enable {name} again?", { name: user.name }),
        text: t("This user can sign in again, with the same roles as before."),
        action: t("Enable the user"),
        isDangerous: false,
        change: { is_disabled: false },
      }
    case "erase":
      return {
        title: t("Erase {name}?", { name: user.name }),
        text: t(
          "Their name and addresses are removed everywhere, and records of their actions show an anonymous ID. Keys that they know keep working. It cannot be undone.",
        ),
        action: t("Erase the person"),
        isDangerous: true,
        change: null,
      }
  }
}
