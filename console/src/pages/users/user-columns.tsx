import { ActionIcon, Badge, Group, Menu, Text } from "@mantine/core"
import { IconDotsVertical } from "../../ui/icons.tsx"
import type { User } from "tollgate-contract/members.ts"
import type { Column } from "../../ui/data-table.tsx"
import { TextLink } from "../../ui/link-button.tsx"
import { Status } from "../../ui/status.tsx"
import { When } from "../../ui/when.tsx"
import type { UserTask } from "./user-task.ts"
import { t } from "../../languages/text.ts"
import { word } from "../../languages/words.ts"

type Begin = (task: UserTask) => void

/**
 * Returns the columns of the list of users.
 * @param self the id of the current user.
 */
export function userColumns(
  self: string | undefined,
  begin: Begin,
  rename: (user: User) => void,
): readonly Column<User>[] {
  return [
    {
      id: "name",
      header: t("User"),
      cell: (user) => (
        <div className="anywhere">
          <Group gap={6}>
            <Text size="sm" fw={600}>
              {user.name}
              {user.id === self && <span className="dim"> {t("(you)")}</span>}
            </Text>
            {user.is_operator && (
              <Badge variant="light" radius="sm" tt="none" fw={500}>
                {t("operator")}
              </Badge>
            )}
          </Group>
          <Text size="xs" c="dimmed">
            {user.email}
          </Text>
        </div>
      ),
    },
    {
      id: "accounts",
      header: t("Accounts"),
      cell: ({ accounts }) =>
        accounts.length === 0 ? (
          <span className="dim">{t("none")}</span>
        ) : (
          <Group gap={6}>
            {accounts.map(({ id, name, role }) => (
              <TextLink key={id} to="/accounts/$account" params={{ account: id }} size="sm">
                {name} <span className="dim">({word(role)})</span>
              </TextLink>
            ))}
          </Group>
        ),
    },
    {
      id: "status",
      header: t("Status"),
      cell: ({ is_disabled: isDisabled }) => <Status value={isDisabled ? "disabled" : "active"} />,
    },
    {
      id: "two-factor",
      header: t("Second factor"),
      isSecondary: true,
      cell: ({ two_factor: isOn }) => (isOn ? t("on") : <span className="dim">{t("off")}</span>),
    },
    {
      id: "seen",
      header: t("Last seen"),
      isSecondary: true,
      cell: ({ last_seen_at: seenAt }) => <When at={seenAt} none={t("never")} />,
    },
    {
      id: "actions",
      header: t("Actions"),
      isAction: true,
      cell: (user) => <UserMenu user={user} begin={begin} rename={rename} />,
    },
  ]
}

interface UserMenuProperties {
  readonly user: User
  readonly begin: Begin
  readonly rename: (user: User) => void
}

function UserMenu({ user, begin, rename }: UserMenuProperties) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t("Actions for {name}", { name: user.name })}
        >
          <IconDotsVertical size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => rename(user)}>{t("Change name or email")}</Menu.Item>
        <Menu.Item onClick={() => begin({ name: user.is_operator ? "demote" : "promote", user })}>
          {user.is_operator ? t("Remove operator rights") : t("Make an operator")}
        </Menu.Item>
        <Menu.Item
          {...(!user.is_disabled && { color: "red" })}
          onClick={() => begin({ name: user.is_disabled ? "enable" : "disable", user })}
        >
          {user.is_disabled ? t("Enable") : t("Disable")}
        </Menu.Item>
        <Menu.Item color="red" onClick={() => begin({ name: "erase", user })}>
          {t("Erase")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
