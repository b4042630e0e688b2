set terminal postscript eps color enh "Times-BoldItalic"
set output "wifi-manager-example-Aarf-802.11p-5MHz.eps"
set title "Results for 802.11p-5MHz with Aarf\n"
set xlabel "SNR (dB)"
set ylabel "Rate (Mb/s)"
set xrange [0:30]
set yrange [0:60]
set key top left
plot "-"  title "802.11p-5MHz-rate selected" with lines, "-"  title "802.11p-5MHz-observed" with lines
27 13.5
26 13.5
25 13.5
24 13.5
23 13.5
22 13.5
21 13.5
20 13.5
19 13.5
18 13.5
17 12
16 9
15 9
14 9
13 9
12 6
11 6
10 6
9 4.5
8 4.5
7 4.5
6 3
5 3
4 3
3 2.25
e
27 6.2423
26 7.13523
25 7.15162
24 7.168
23 7.14342
22 7.15981
21 7.17619
20 7.15981
19 7.09427
18 6.26688
17 5.7344
16 5.21011
15 5.50502
14 5.50502
13 5.36576
12 3.87482
11 4.16154
10 4.12058
9 3.06381
8 3.32595
7 3.30957
6 2.53133
5 2.39206
4 2.29376
3 1.64659
e
