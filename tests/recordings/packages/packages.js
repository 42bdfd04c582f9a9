// packages.js - the packages that recordings are made from, below the build folder where run.sh put them.
'use strict';
const path = require('node:path');
const { createRequire } = require('node:module');

const folder = path.resolve(process.env.PACKAGES || path.join(__dirname, '../../../build/packages'));
const load = createRequire(path.join(folder, 'package.json'));
module.exports = { folder, load, release: (name) => load(`${folder}/node_modules/${name}/package.json`).version.replace(/^v/, '') };
