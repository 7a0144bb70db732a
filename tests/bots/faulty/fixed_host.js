// D02: has a hard-coded host.
const net = require('net');

const socket = net.connect({ host: 'barton.example.edu', port: 29068 });
socket.on('error', (error) => {
  throw error;
});
