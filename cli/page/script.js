// SPDX-License-Identifier: Apache-2.0
// The page says everything without this: it only connects operators with their tensors in the memory map.
'use strict';
const facts = JSON.parse(document.getElementById('data').textContent).inspect;
const rectangles = [...document.querySelectorAll('rect[data-value]')];
for (const details of document.querySelectorAll('details.op')) {
    details.addEventListener('toggle', () => {
        const chosen = new Set();
        for (const open of document.querySelectorAll('details.op[open]')) {
            const call = facts.instructions[Number(open.dataset.index)];
            [...(call.reads || []), ...(call.results || [])].forEach((value) => chosen.add(String(value)));
        }
        rectangles.forEach((one) => one.classList.toggle('chosen', chosen.has(one.dataset.value)));
    });
}
