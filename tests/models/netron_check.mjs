// SPDX-License-Identifier: Apache-2.0
//
// usage: node netron_check.mjs NETRON METADATA MODEL.pte: Netron, in folder NETRON, opens the program once the schemas of
// METADATA are among its own, and shows the arguments by name; without them, it refuses the program.
import * as fs from 'fs';
import * as path from 'path';
import { pathToFileURL } from 'url';

const [folder, metadata, model] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(path.join(folder, name)).href);
const more = JSON.parse(fs.readFileSync(metadata, 'utf-8'));
const base = await load('base.js');

// What Netron asks of the program around it.
function hostWith(schemas) {
    const read = async (name) => {
        const text = fs.readFileSync(path.join(folder, name), 'utf-8');
        return name === 'pytorch-metadata.json' ? JSON.stringify([...JSON.parse(text), ...schemas]) : text;
    };
    return {
        environment: () => null,
        require: (id) => load(`${id.replace('./', '')}.js`),
        request: read,
        asset: read,
        event() {},
        exception(error) {
            throw error;
        },
    };
}

async function open(schemas) {
    const view = await load('view.js');
    const host = hostWith(schemas);
    const stream = new base.BinaryStream(new Uint8Array(fs.readFileSync(model)));
    const context = { ...host, host, identifier: path.basename(model), stream, entries: new Map(), error() {} };
    const opened = await new view.ModelFactoryService(host).open(context);
    return (opened.modules || opened.graphs)[0];
}

const found = new Map(more.map((item) => [item.name.split('(')[0], item.name]));
if (process.env.RUSHLIGHT_NETRON_ALONE) {
    await open([]);
} else {
    const graph = await open(more);
    const own = graph.nodes.filter((node) => found.has(node.type.identifier));
    const nameless = own.filter((node) => node.inputs.some((input) => !/^[a-z_]+[a-z0-9_]*$/.test(input.name)));
    if (own.length === 0 || nameless.length > 0) {
        console.error(`${own.length} of ${graph.nodes.length} operators are ours, ${nameless.length} have no names`);
        process.exit(1);
    }
    console.log(`${graph.nodes.length} operators, ${own.length} of them from ${path.basename(metadata)}`);
}
