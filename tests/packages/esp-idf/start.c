// SPDX-License-Identifier: Apache-2.0
// ESP-IDF calls app_main from a task of its own.
void app_main(void);

int main(void)
{
    app_main();
    return 0;
}
